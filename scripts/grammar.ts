/** Compiles the grammar of the query language to the parser, which is committed beside it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import peggy from 'peggy';

const folder = new URL('../contract/src/query/', import.meta.url);
const starts = ['Filter', 'OrderBy', 'Select', 'Expand', 'Search', 'Apply', 'Compute', 'Literal', 'List'];

const types = `/* Written by \`npm run grammar\`. */
import type { StartRuleResults } from './ast.ts';

export interface ParserOptions<S extends keyof StartRuleResults> {
  startRule: \`\${S}Text\`;
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
`;

/** Returns names and contents of the two generated files. */
export function compileGrammar(): { name: string; text: string }[] {
  const source = peggy.generate(readFileSync(new URL('odata.peggy', folder), 'utf8'), {
    output: 'source',
    format: 'es',
    allowedStartRules: starts.map((s) => `${s}Text`),
  });
  return [
    { name: 'odata.parser.js', text: source },
    { name: 'odata.parser.d.ts', text: types },
  ];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const { name, text } of compileGrammar()) writeFileSync(new URL(name, folder), text);
}
