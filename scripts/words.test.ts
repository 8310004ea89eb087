import { describe, expect, it } from 'vitest';
import { findSharedTypes, judgeName, judgeProse, readSource } from './words.ts';

const path = 'server/src/jobs/queue.ts';
const wordsIn = (source: string) => readSource(path, source).hits.map(({ line, word }) => `${line} ${word}`);

describe('words', () => {
  it.each([
    ['found', 'value'],
    ['Known', 'type'],
    ['mostRows', 'value'],
    ['inFlights', 'value'],
    ['sendSparing', 'value'],
    ['Wrong', 'type'],
    ['use-hand.ts', 'file'],
  ] as const)('bans the name %s', (name, kind) => {
    expect(judgeName(name, kind, path)).toBeTypeOf('string');
  });

  it.each([
    ['foundRow', 'value'],
    ['isKnown', 'value'],
    ['almostFull', 'value'],
    ['maxRows', 'value'],
    ['handle', 'value'],
    ['step', 'value'],
    ['ProtocolStep', 'type'],
  ] as const)('lets the name %s pass', (name, kind) => {
    expect(judgeName(name, kind, path)).toBeUndefined();
  });

  it('bans a parameter named one, except beside other or many', () => {
    expect(wordsIn('const open = rows.filter((one) => one.isOpen);')).toEqual(['1 one']);
    expect(wordsIn('const counted = (n: number, one: string, many = `${one}s`) => (n === 1 ? one : many);')).toEqual([]);
    expect(wordsIn('rows.toSorted((one, other) => one.at - other.at);')).toEqual([]);
  });

  it('reads every form of declaration, each with its line', () => {
    const source = [
      'interface Job { kept: boolean; held(): void }',
      'function bury(most: number, { given: [made], ...told }: Job) {}',
      'const fly = (own = 1) => { try {} catch (gone) {} };',
      "import { rows as found } from './rows.ts';",
    ].join('\n');
    expect(wordsIn(source).toSorted()).toEqual(
      ['1 held', '1 kept', '2 bury', '2 made', '2 most', '2 told', '3 fly', '3 gone', '3 own', '4 found'].toSorted(),
    );
  });

  it('passes over names of the wire and of the database, which are keys and strings', () => {
    expect(wordsIn("const body = { found: 1, kept: row.known };\nconst verb = 'made';")).toEqual([]);
    expect(wordsIn('const text = sql`\n  select flight from stranger where true`;')).toEqual([]);
  });

  it('reads comments and messages', () => {
    expect(wordsIn('/**\n * What a stranger sees.\n */\nthrow new Error(`Job ${id}: flies no more today.`);')).toEqual([
      '2 stranger',
      '4 flies',
    ]);
  });

  it('lets a word pass where it means something else', () => {
    expect(judgeProse("A person's picture.", 'portal/src/app/shell.tsx')).toHaveLength(1);
    expect(judgeProse("A person's picture.", 'server/src/auth/people.ts')).toEqual([]);
  });

  it('finds types that several files declare under one name', () => {
    const declared = [
      ['a.ts', 'interface Row { readonly id: string }\ninterface Props { a: 1 }'],
      ['b.ts', 'export type Row = string;\ninterface Props { b: 1 }'],
      ['c.ts', 'interface Row {\n  /** Its key. */\n  readonly id: string\n}'],
    ].flatMap(([file = '', source = '']) => readSource(file, source).types);
    const shared = findSharedTypes(declared);
    expect(shared.map(({ path: file, line, word }) => `${file}:${line} ${word}`)).toEqual(['b.ts:1 Row']);
    expect(shared[0]?.use).toContain('a.ts:1 declares another');
  });
});
