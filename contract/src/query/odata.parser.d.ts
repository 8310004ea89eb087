/* Written by `npm run grammar`. */
import type { Starts } from './ast.ts';

export interface ParserOptions<S extends keyof Starts> {
  startRule: `${S}Text`;
  /** Where every node is said to stand; by default where it does. */
  at?: number;
  /** Called with what the language leaves out and where it stands; must throw. */
  refuse(what: string, offset: number): never;
}

export class SyntaxError extends globalThis.SyntaxError {
  expected: { type: string; description?: string; text?: string }[] | null;
  found: string | null;
  location: { start: { offset: number } };
}

export function parse<S extends keyof Starts>(text: string, options: ParserOptions<S>): Starts[S];
