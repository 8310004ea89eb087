import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compileGrammar } from './grammar.ts';

it('the committed parser is what the grammar compiles to', () => {
  for (const { name, text } of compileGrammar()) {
    const committed = readFileSync(new URL(`../contract/src/query/${name}`, import.meta.url), 'utf8');
    expect(committed === text, `${name} differs: run "npm run grammar"`).toBe(true);
  }
});
