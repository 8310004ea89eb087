/** One statement of the demonstration world; what it makes is counted in the answer. */
import type { Size } from './sizes.ts';

export interface DemoStep {
  /** The plural of what it makes; several steps may make the same. Undefined for what only prepares. */
  what?: string;
  text: string;
  values?: (size: Size) => readonly unknown[];
}
