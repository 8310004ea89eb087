import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { equivalentsOfPortal } from './equivalents-of-portal.ts';
import { equivalentsOfRules } from './equivalents-of-rules.ts';
import { equivalents } from './equivalents.ts';
import { instrument } from './instrument.ts';
import { findMutants } from './points.ts';
import { chooseTests, readImporters, relatedTests, type MutantCoverage } from './related.ts';
import { formatReport, nameMutant } from './report.ts';
import { sample } from './sample.ts';
import { inTurn, sourceOf, withFewerRuns } from './session.ts';
import { findSqlChanges } from './sql.ts';
import { createSwitch, reachedIds, type MutationSwitch } from './switch.ts';

const root = join(import.meta.dirname, '../..');
const changesOf = (source: string) => findMutants('x.ts', source).map((mutant) => nameMutant('x.ts', source, mutant).change);

/** Runs a function of an instrumented source, with one active mutant or none. */
function run<T>(source: string, expression: string, active: number): { value: T; reached: number[] } {
  const mutants = findMutants('x.ts', source).map((mutant, id) => ({ ...mutant, id }));
  const mutation = createSwitch(mutants.length);
  mutation.active = active;
  const code = stripTypeScriptTypes(instrument('x.ts', source, mutants), { mode: 'strip' });
  const call = runInThisContext(`(__mutation) => { ${code}; return ${expression}; }`) as (mutation: MutationSwitch) => T;
  const value = call(mutation);
  return { value, reached: reachedIds(mutation) };
}

describe('the mutants of a source', () => {
  it.each([
    ['const f = (a: number) => a < 1;', ['a < 1 → a <= 1', '1 → 2']],
    ['const f = (a: string, b: string) => a === b;', ['a === b → a !== b']],
    ['const f = (a: unknown, b: unknown) => a && !b;', ['a && !b → a || !b', '!b → b']],
    ['const f = (a?: string) => a ?? other;', ['a ?? other → a']],
    ['const f = (a: boolean) => (a ? x : y);', ['a → true', 'a → false']],
    ['while (f()) g();', ['f() → false', 'g(); → (removed)']],
    ['let n = 0; n += k;', ['0 → 1', 'n += k; → (removed)', 'n += k → n -= k']],
    ['const list = [a, b];', ['[a, b] → []']],
    ['throw new Error(`${a} is wrong`);', ['throw new Error(`${a} is wrong`); → (removed)']],
  ])('%s', (source, expected) => {
    expect(changesOf(source)).toEqual(expected);
  });

  it('are none in types, imports, names of fields and logs', () => {
    const source = `import x from './x.ts'; type A = 1 | true; interface B { c: 2 } const o = { 1: x }; ctx.log.warn({ n: 1 }, 'late');`;
    expect(changesOf(source)).toEqual([]);
  });

  it('are in the expressions of an element, but not in its texts and attributes', () => {
    const source = '<Card title="all from here and there" width={2}>{a && <p>Select 1 from 2 and 3</p>}</Card>;';
    const mutants = findMutants('x.tsx', source).map((mutant, id) => ({ ...nameMutant('x.tsx', source, mutant), id }));
    expect(mutants.map(({ change }) => change)).toEqual([
      `${source} → (removed)`,
      '2 → 3',
      'a && <p>Select 1 from 2 and 3</p> → a || <p>Select 1 from 2 and 3</p>',
    ]);
    expect(() => findMutants('x.tsx', instrument('x.tsx', source, mutants))).not.toThrow();
  });

  it('include operators of SQL', () => {
    const text = 'select a from t where b < 1 and c = $1 or d is null order by e desc';
    expect(findSqlChanges(text).map((change) => text.slice(0, change.from) + change.text + text.slice(change.to))).toEqual([
      'select a from t where b <= 1 and c = $1 or d is null order by e desc',
      'select a from t where b < 1 and c <> $1 or d is null order by e desc',
      'select a from t where b < 1 or c = $1 or d is null order by e desc',
      'select a from t where b < 1 and c = $1 and d is null order by e desc',
      'select a from t where b < 1 and c = $1 or d is not null order by e desc',
      'select a from t where b < 1 and c = $1 or d is null order by e asc',
    ]);
    expect(findSqlChanges('where a between 1 and 2')).toEqual([]);
    expect(findSqlChanges('where a < now() - $1')).toEqual([]);
    expect(changesOf('const q = sql`select ${a} from t where b is null`;')).toEqual([
      'sql`select ${a} from t where b is null` → sql`select ${a} from t where b is not null`',
    ]);
  });
});

describe('an instrumented source', () => {
  const source = 'function f(a: number): number { let n = 0; for (let i = 0; i < a; i++) { n += i; } return n; }';

  it('does what it did while no mutant is active, and says what was reached', () => {
    const { value, reached } = run<number>(source, 'f(4)', -1);
    expect(value).toBe(6);
    expect(reached).toEqual(findMutants('x.ts', source).map((_, id) => id));
    expect(run<number>(source, 'f(0)', -1).reached.length).toBeLessThan(reached.length);
  });

  it('runs one mutant at a time', () => {
    const changes = changesOf(source);
    expect(run<number>(source, 'f(4)', changes.indexOf('i < a → i <= a')).value).toBe(10);
    expect(run<number>(source, 'f(4)', changes.indexOf('n += i → n -= i')).value).toBe(-6);
    expect(run<number>(source, 'f(4)', changes.indexOf('n += i; → (removed)')).value).toBe(0);
  });

  it('stops a loop that a mutant makes endless', () => {
    expect(() => run(source, 'f(4)', changesOf(source).indexOf('i++ → i--'))).toThrow('A loop does not end.');
  });
});

describe('the tests of a file', () => {
  it('are those that import it, the nearest first', () => {
    const importers = new Map([
      ['server/src/a/x.ts', ['server/src/a/w.test.ts', 'server/src/a/x.test.ts', 'server/src/b/y.ts']],
      ['server/src/b/y.ts', ['server/src/b/y.test.ts', 'portal/src/z.test.tsx']],
      ['server/src/c.ts', ['server/src/c.test.ts']],
    ]);
    expect(relatedTests(importers, 'server/src/a/x.ts')).toEqual([
      'server/src/a/x.test.ts',
      'server/src/a/w.test.ts',
      'server/src/b/y.test.ts',
    ]);
    expect(relatedTests(readImporters(root), 'contract/src/rules/facts.ts')).toContain('contract/src/rules/facts.test.ts');
    // The agent runs in a process of its own there.
    expect(relatedTests(readImporters(root), 'agent/src/program/restart.ts')).toContain('agent/src/agent.test.ts');
  });

  it('are those that reach its mutants, as many for each as wanted, those in its folder first', () => {
    const path = 'server/src/a/x.ts';
    const [beside, y, z, other] = [
      'server/src/a/x.test.ts',
      'server/src/b/y.test.ts',
      'server/src/b/z.test.ts',
      'server/src/b/other.test.ts',
    ];
    const related = [beside, y, z, other];
    const coverage = { [path]: { one: [y, z], two: [z, beside], none: [] }, 'server/src/o.ts': { x: [other] } };
    const choose = (keys: string[], max = 12, of: MutantCoverage = coverage) => chooseTests(related, path, keys, of, max);
    expect(choose(['one', 'two'])).toEqual([beside, z, y]);
    expect(choose(['one', 'two'], 1)).toEqual([beside, z]);
    expect(choose(['one'], 1)).toEqual([y]);
    expect(choose(['none'])).toEqual([]);
    // Mutants and test files that are missing in the measurement, because they are newer.
    expect(choose(['new'])).toEqual([beside, y, z]);
    expect(choose(['one'], 12, { [path]: { one: [y] } })).toEqual([beside, y]);
    expect(choose(['one'], 2, {})).toEqual([beside, y]);
  });
});

describe('the tests of several files', () => {
  it('run once each, those first that are the nearest of a file', () => {
    expect(inTurn([['a', 'b', 'c'], ['b', 'd'], []])).toEqual(['a', 'b', 'd', 'c']);
  });
});

describe('a property test', () => {
  it('draws 150 cases at most, five on a database, and never more than it does by itself', () => {
    expect(withFewerRuns('{ numRuns: 2_000 } { numRuns: 40, x }')).toBe('{ numRuns: 150 } { numRuns: 40, x }');
    expect(withFewerRuns('{ numRuns: runs(1_000, 9_000), x }')).toBe('{ numRuns: 150, x }');
    const importing = "import { createFlow } from '../testing/flow.ts';";
    expect(withFewerRuns(`${importing} { numRuns: 25 } { numRuns: 3 }`)).toBe(`${importing} { numRuns: 5 } { numRuns: 3 }`);
  });
});

describe('a sample', () => {
  it('is the same for the same seed, in the order of the whole', () => {
    const whole = Array.from({ length: 100 }, (_, n) => n);
    const sampled = sample(whole, 10, 7);
    expect(sampled).toEqual(sample(whole, 10, 7));
    expect(sampled).not.toEqual(sample(whole, 10, 8));
    expect(sampled).toEqual([...new Set(sampled)].toSorted((a, b) => a - b));
    expect(sampled).toHaveLength(10);
    expect(sample(whole, 1_000, 7)).toEqual(whole);
  });
});

describe('the report', () => {
  it('counts per file and lists each survivor with its place', () => {
    const source = 'const f = (a: number) => a < 1 || a > 3;';
    const mutants = findMutants('x.ts', source).map((mutant, id) => ({ ...nameMutant('x.ts', source, mutant), id }));
    const outcome = { killed: new Map([[0, 'x.test.ts > f']]), timedOut: new Set<number>(), reached: new Set([0, 1]), unfit: [] };
    const lines = formatReport(mutants, outcome, 1).split('\n');
    expect(lines).toContain('survived: x.ts:1  a < 1 → a <= 1');
    expect(lines).toContain('survived (never reached): x.ts:1  3 → 4');
    expect(lines.at(-2)).toMatch(/20\.0 % +1 +0 +1 +3 {2}all$/);
    expect(lines.at(-1)).toBe('1 equivalent mutants were left out.');
  });
});

describe('equivalent mutants', () => {
  it('each name a mutant that there is', () => {
    for (const { file, line, change } of [...equivalents, ...equivalentsOfPortal, ...equivalentsOfRules]) {
      const source = sourceOf(root, file);
      const named = findMutants(file, source).map((mutant) => nameMutant(file, source, mutant));
      expect([file, line, change, named.some((candidate) => candidate.text === line && candidate.change === change)]).toEqual([
        file,
        line,
        change,
        true,
      ]);
    }
  });
});
