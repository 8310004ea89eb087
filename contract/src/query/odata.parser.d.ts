/* Written by `npm run grammar`. */
import type { StartRuleResults } from './ast.ts';

export interface ParserOptions<S extends keyof StartRuleResults> {
  startRule: `${S}Text`;
  /** The offset that every node reports; by default its own. */
  at?: number;
  /** Called with each unsupported part of the language and its offset; must throw. */
  refuse(what: string, offset: number): never;
}

export class SyntaxError extends globalThis.SyntaxError {
  expected: { type: string; description?: string; text?: string }[] | null;
  found: string | null;
  location: { start: { offset: number } };
}

export function parse<S extends keyof StartRuleResults>(text: string, options: ParserOptions<S>): StartRuleResults[S];
