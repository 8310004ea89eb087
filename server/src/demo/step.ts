/** One SQL statement of the demo data; `fillDemo` counts the rows that it creates. */
import type { Size } from './sizes.ts';

export interface DemoStep {
  /** The plural name of the rows; several steps may create the same kind. Undefined for preparations. */
  what?: string;
  text: string;
  values?: (size: Size) => readonly unknown[];
}
