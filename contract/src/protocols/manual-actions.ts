/** The manual-action text of a protocol with its placeholders filled from a work unit (PROT-017, PROT-018, WU-059..062). */

/** Fields of the unit, and what else a name may stand for, such as `WorkUnitUrl` and `AckUrl`. */
type ManualActionValues = Readonly<Record<string, unknown>>;

/** Names are compared without case. An empty field gives nothing; a name that nobody knows stays as it stands. */
export function fillManualActions(text: string, values: ManualActionValues): string {
  const valueByName = new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
  return text.replaceAll(/\{([A-Za-z]\w*)\}/g, (whole, name: string) => {
    const key = name.toLowerCase();
    if (!valueByName.has(key)) return whole;
    const value = valueByName.get(key);
    if (value === null || value === undefined) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
  });
}
