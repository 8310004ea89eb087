import { describe, expect, it } from 'vitest';
import { countUsers, judgeEngine, judgeFolders, optionsOf } from './budgets.ts';

const file = (path: string, lines: number) => ({ path, text: 'x\n'.repeat(lines) });

describe('budgets', () => {
  it('count the lines and files of an engine half with its folders, without tests', () => {
    const files = [file('engine/a.ts', 3), file('engine/deep/b.ts', 2), file('engine/a.test.ts', 90), file('engineer/c.ts', 90)];
    expect(judgeEngine('engine', { lines: 5, files: 2 }, files)).toEqual({
      figures: 'engine: 5 of 5 lines, 2 of 2 files',
      fault: undefined,
    });
    expect(judgeEngine('engine', { lines: 4, files: 2 }, files).fault).toContain('5 of 4 lines');
    expect(judgeEngine('engine', { lines: 5, files: 1 }, files).fault).toContain('2 of 1 files');
  });

  it('refuse a folder of more than thirty files that is no list', () => {
    const folder = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}/f${i}.ts`);
    expect(judgeFolders([...folder('a', 30), 'a/f.test.ts', ...folder('contract/src/resources', 60)])).toEqual([]);
    expect(judgeFolders(folder('a', 31))).toEqual(['a has 31 source files; at most 30. Split it by subject.']);
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
