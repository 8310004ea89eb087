/** Compares the database with what a load recorded: nothing acknowledged is lost, nothing is stored twice. */
import type pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { executionId } from '../../executions/execution-id.ts';
import type { Load } from './load.ts';

/** `faults`: violations by kind, empty if everything is correct; `counts`: the number of rows that were checked. */
export interface LoadVerdict {
  faults: Record<string, unknown[]>;
  counts: Record<string, number>;
}

const few = <T>(offenders: readonly T[]): T[] => offenders.slice(0, 5);

async function packets(client: pg.Client, load: Load): Promise<LoadVerdict> {
  const { rows } = await client.query<{ id: string; copies: number }>(
    `select message->'Properties'->>'MessageId' as id, count(*)::int as copies from packet where message->'Properties' ? 'MessageId' group by 1`,
  );
  const stored = new Map(rows.map((row) => [row.id, row.copies]));
  return {
    faults: {
      'acknowledged packets that are not stored': few([...load.packets].filter((id) => !stored.has(id))),
      'packets stored more than once': few(rows.filter((row) => row.copies > 1)),
    },
    counts: { packets: load.packets.size },
  };
}

interface MatchCheckRow {
  rule_match_id: string;
  subject_id: string;
  actions: { message_id: string; result_status_id: number; result_detail: unknown }[];
  units: number;
}

async function matches(client: pg.Client, load: Load): Promise<LoadVerdict> {
  const { rows } = await client.query<MatchCheckRow>(
    `select m.rule_match_id, m.subject_id,
      (select coalesce(json_agg(json_build_object('message_id', message_id, 'result_status_id', result_status_id, 'result_detail', result_detail)), '[]')
        from action_history h where h.reference_id = m.rule_match_id::text) as actions,
      (select count(*)::int from work_unit_relation r where r.reference_type = 'RuleMatch' and r.reference_id = m.rule_match_id::text) as units
    from rule_match m`,
  );
  const open = new Map<string, number>();
  for (const row of rows) open.set(row.subject_id, (open.get(row.subject_id) ?? 0) + 1);
  const { rows: jobs } = await client.query('select job_id, name, attempts, last_error, dead_at from job');
  return {
    faults: {
      'devices that should have a match and have none': few([...load.hot].filter((id) => !open.has(id))),
      'devices with two matches': few([...open].filter(([, count]) => count > 1)),
      'matches whose action is not recorded once': few(
        rows.filter(({ rule_match_id: id, actions }) => actions.length !== 1 || actions[0]?.message_id !== executionId(id, 'match', 0)),
      ),
      'actions that did not succeed': few(
        rows.filter(({ actions }) => actions.some((action) => action.result_status_id !== resultStatus.success)),
      ),
      'matches without one work unit': few(rows.filter(({ units }) => units !== 1).map(({ rule_match_id: id, units }) => ({ id, units }))),
      'jobs that are left': few(jobs),
    },
    counts: { matches: rows.length },
  };
}

interface UnitCheckRow {
  id: number;
  title: string;
  category: string | null;
  created: number;
  history: string[];
  audited: number;
}

async function workUnits(client: pg.Client, load: Load): Promise<LoadVerdict> {
  const { rows } = await client.query<UnitCheckRow>(
    `select work_unit_id::float8 as id, title, category,
      (select count(*)::int from work_unit_note n where n.work_unit_id = w.work_unit_id and history_type = 'WorkUnitEvent') as created,
      (select coalesce(array_agg(new_value order by work_unit_note_id), '{}') from work_unit_note n where n.work_unit_id = w.work_unit_id and field = 'category') as history,
      (select count(*)::int from audit a where a.entity = 'workUnits' and a.entity_id = w.work_unit_id::text) as audited
    from work_unit w where title like 'Written by%'`,
  );
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const titles = new Set(rows.map((row) => row.title));
  const wrong = load.units.filter((unit) => {
    const row = rowsById.get(unit.workUnitId);
    if (!row || row.title !== unit.title || row.created !== 1) return true;
    const last = unit.patches.at(-1) ?? null;
    const wasWritten = unit.unsure !== undefined && row.category === unit.unsure;
    const expected = wasWritten ? [...unit.patches, unit.unsure] : unit.patches;
    return (!wasWritten && row.category !== last) || row.history.join() !== expected.join() || row.audited !== 1 + expected.length;
  });
  return {
    faults: {
      'acknowledged work units that are not as they were written': few(wrong.map((unit) => ({ unit, row: rowsById.get(unit.workUnitId) }))),
      'work units that are there twice': rows.length === titles.size ? [] : [rows.length - titles.size],
    },
    counts: { workUnits: load.units.length, changes: load.units.reduce((sum, unit) => sum + unit.patches.length, 0) },
  };
}

/** Waits until no job is queued except dead letters, but at most `patienceMs`. */
export async function drain(client: pg.Client, patienceMs = 60_000): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(100)) {
    const { rows } = await client.query('select 1 from job where dead_at is null limit 1');
    if (rows.length === 0) return;
  }
}

export async function verify(client: pg.Client, load: Load): Promise<LoadVerdict> {
  const verdicts = [await packets(client, load), await matches(client, load), await workUnits(client, load)];
  return {
    faults: Object.fromEntries(verdicts.flatMap(({ faults }) => Object.entries(faults)).filter(([, offenders]) => offenders.length > 0)),
    counts: Object.assign({}, ...verdicts.map(({ counts }) => counts)) as Record<string, number>,
  };
}
