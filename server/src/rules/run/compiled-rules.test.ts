/** The compiled rules in memory: how they follow changes, and the effect of a broken rule. The test supplies the rows. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Database } from '../../db/connection.ts';
import type { Statement } from '../../db/db.ts';
import { openCompiledRules, type CompiledRules } from './compiled-rules.ts';

const hot: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const silent: Condition = { Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: '60' };
const broken: Condition = { ...hot, Operator: 8, RightOperand: '(' };

interface RuleRow {
  ruleId: string;
  ruleTypeId: number;
  conditions: Condition[];
  [column: string]: unknown;
}

let rows: RuleRow[];
let reads: (string[] | null)[];
let marked: { rule_id: string; cause: string }[];
let failures: number;
let changed: (payload: string) => void;
let rules: CompiledRules;

const row = (ruleId: string, typeId = 1, conditions = [hot]): RuleRow => ({
  ruleId,
  tenants: ['t1'],
  subscriptionId: 's1',
  name: ruleId,
  ruleTypeId: typeId,
  enabled: true,
  changed: null,
  devices: null,
  lifetimeMs: 300_000,
  sliding: true,
  timeConditions: null,
  conditions,
  matchActions: [],
  expirationActions: [],
  since: Date.parse('2026-01-01T00:00:00.000Z'),
});

beforeEach(() => {
  [rows, reads, marked, failures] = [[], [], [], 0];
});
afterEach(async () => {
  await rules.stop();
  vi.useRealTimers();
});

async function open(...initial: RuleRow[]): Promise<void> {
  rows = initial;
  const query = ({ name, text, values = [] }: Statement): Promise<unknown[]> => {
    if (name === 'maintenance-windows' || name === 'recent-gaps') return Promise.resolve([]);
    if (text.startsWith('with marked')) {
      marked.push(...(JSON.parse(String(values[0])) as typeof marked));
      return Promise.resolve([]);
    }
    const ids = values[0] as string[] | null;
    reads.push(ids);
    if (failures-- > 0) return Promise.reject(new Error('The database does not answer.'));
    return Promise.resolve(rows.filter((row) => ids === null || ids.includes(row.ruleId)));
  };
  const listen = (channel: string, listener: (payload: string) => void) => {
    if (channel === 'rules') changed = listener;
    return Promise.resolve(() => Promise.resolve());
  };
  rules = await openCompiledRules({
    database: { scoped: () => ({ query }), listen } as unknown as Database,
    log: pino({ level: 'silent' }),
  });
}

const idsIn = (name: Exclude<keyof CompiledRules, 'stop' | 'windows' | 'brake' | 'usual' | 'gaps'>) =>
  [...rules[name]().all()].map((rule) => rule.ruleId).toSorted();
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('the rules in memory', () => {
  it('are all enabled ones, by what they are evaluated on', async () => {
    const of = { Type: 'And' as const, Operator: 1, RightOperand: 'x' };
    await open(
      row('ingestion'),
      row('history', ruleTypeId.history, [silent]),
      row('plain', ruleTypeId.history),
      row('maintenance', ruleTypeId.maintenance, [{ ...of, LeftOperand: 31 }]),
      row('correlation', ruleTypeId.correlation, [{ ...of, LeftOperand: 80 }]),
      row('unit', ruleTypeId.workUnit, [{ ...of, LeftOperand: 100 }]),
      row('sum', ruleTypeId.aggregation, [{ ...of, LeftOperand: 71, Operator: 3, RightOperand: '1', WindowSeconds: 60 }]),
    );
    expect(idsIn('ingestion')).toEqual(['history', 'ingestion', 'plain']);
    expect(idsIn('silence')).toEqual(['history']);
    expect([idsIn('maintenance'), idsIn('correlation'), idsIn('workUnit'), idsIn('aggregation')]).toEqual([
      ['maintenance'],
      ['correlation'],
      ['unit'],
      ['sum'],
    ]);
    expect(rules.ingestion().get('ingestion')?.rule).toMatchObject({
      name: 'ingestion',
      tenantId: 't1',
      subscriptionId: 's1',
      lifetimeMs: 300_000,
      sliding: true,
      since: Date.parse('2026-01-01T00:00:00.000Z'),
    });
    expect(reads).toEqual([null]);
  });

  it('follow changes one by one: new, changed, of another type, and removed', async () => {
    await open(row('a'), row('b'));
    rows = [row('a', ruleTypeId.history, [silent]), row('c')];
    changed('a,b');
    changed('c');
    await settle();
    expect([idsIn('ingestion'), idsIn('silence')]).toEqual([['a', 'c'], ['a']]);
    rows = [row('a'), row('c')];
    changed('a');
    await settle();
    expect([idsIn('ingestion'), idsIn('silence')]).toEqual([['a', 'c'], []]);
    expect(reads.slice(1).flat()).toEqual(['a', 'b', 'c', 'a']);
  });

  it('are all read again after many changes, or after unknown ones', async () => {
    await open();
    const ids = (n: number) => Array.from({ length: n }, (_, i) => `r${i}`);
    changed(ids(20).join(','));
    await settle();
    expect(reads.at(-1)).toEqual(ids(20));
    changed(ids(21).join(','));
    await settle();
    expect(reads.at(-1)).toBeNull();
    rows = [row('a')];
    changed('b');
    changed('');
    changed('c');
    await settle();
    expect([reads.at(-1), idsIn('ingestion')]).toEqual([null, ['a']]);
  });

  it('leave out one that does not compile, which is marked with the reason', async () => {
    await open(row('a'), row('b', 1, [broken]));
    expect([idsIn('ingestion'), marked.map((item) => item.rule_id)]).toEqual([['a'], ['b']]);
    expect(marked[0]?.cause).toContain('Matches');
    rows = [row('a', 1, [broken]), row('b')];
    changed('a,b');
    await settle();
    expect([idsIn('ingestion'), marked.map((item) => item.rule_id)]).toEqual([['b'], ['b', 'a']]);
  });

  it('are all read again half a second after a failure', async () => {
    await open(row('a'));
    vi.useFakeTimers();
    failures = 1;
    rows = [row('a'), row('b')];
    changed('x');
    await vi.advanceTimersByTimeAsync(499);
    expect(idsIn('ingestion')).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect([idsIn('ingestion'), reads]).toEqual([
      ['a', 'b'],
      [null, ['x'], null],
    ]);
  });
});
