/** The order of names in lists: of the language, with numbers by their value, as the database's collation `natural_order` has it. */
const collator = new Intl.Collator('und', { numeric: true });

/** Compares names: srv2 before srv10, 10.0.0.9 before 10.0.0.10. */
export const compareNames = (a: string, b: string): number => collator.compare(a, b);
