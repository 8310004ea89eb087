/** Mutants that no test can tell from the original, each with the reason; they are counted apart. */

export interface Equivalent {
  file: string;
  /** The line of the source without its indentation. */
  line: string;
  /** What the mutant makes of it, as the list of survivors prints it. */
  change: string;
  reason: string;
}

export const equivalents: readonly Equivalent[] = [];
