import { describe, expect, it } from 'vitest';
import { countUsers, judgeEngine, judgeFolders, judgeOverview, optionsOf } from './budgets.ts';

const file = (path: string, lines: number) => ({ path, text: 'x\n'.repeat(lines) });

describe('budgets', () => {
  it('count the lines and files of an engine half with its folders, without tests', () => {
    const files = [file('engine/a.ts', 3), file('engine/deep/b.ts', 2), file('engine/a.test.ts', 90), file('engineer/c.ts', 90)];
    expect(judgeEngine('engine', { lines: 5, files: 2, reason: '' }, files)).toEqual({
      figures: 'engine: 5 lines (+0 % of 5), 2 files (2)',
      fault: undefined,
    });
  });

  it('let a part of the engine grow by a twentieth before its size has to be recorded again', () => {
    const judge = (lines: number, count = 20) =>
      judgeEngine('engine', { lines: 1_000, files: 20, reason: '' }, [
        file('engine/a.ts', lines),
        ...Array.from({ length: count - 1 }, (_, i) => file(`engine/b${i}.ts`, 0)),
      ]).fault;
    expect(judge(1_050)).toBeUndefined();
    expect(judge(1_051)).toContain('1051 lines (+5 % of 1000)');
    expect(judge(900, 21)).toBeUndefined();
    expect(judge(900, 22)).toContain('22 files (20)');
  });

  it('refuse a folder of more than thirty files that is no list', () => {
    const folder = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}/f${i}.ts`);
    expect(judgeFolders([...folder('a', 30), 'a/f.test.ts', ...folder('contract/src/resources', 60)])).toEqual([]);
    expect(judgeFolders(folder('a', 31))).toEqual(['a has 31 source files; at most 30. Split it by subject.']);
  });

  it('refuse an overview of more words than a newcomer reads', () => {
    expect(judgeOverview('one two\n three\n', 3)).toEqual([]);
    expect(judgeOverview('one two\n three - four', 3)).toEqual([
      'docs/ARCHITECTURE.md has 5 words; at most 3. Move what one subject needs to docs/subjects.',
    ]);
  });

  it('find the options of an interface and who sets them', () => {
    const text =
      'export interface Served<R> {\n  resource: R;\n  fill?(x: R): void;\n  /** Of all. */\n  verbs?: Verbs;\n}\nexport interface Other {\n  odd?: 1;\n}\n';
    expect(optionsOf('Served', text)).toEqual(['fill', 'verbs']);
    const users = [
      "serve(a, 't', {\n  fill: (x) => x,\n});",
      "serve(b, 't', { fill: same });",
      "serve(c, 't', {\n  fill,\n});",
      '    fill: 1,',
    ];
    expect(countUsers('fill', users)).toBe(3);
  });
});
