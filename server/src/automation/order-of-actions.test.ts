/**
 * The actions of a match run in their order: each sees the results of the previous one. It waits while a try of that one runs or is due,
 * otherwise at most `maxHoldMs`.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { startAutomation, type Automation } from '../testing/automation.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { until } from '../rules/testing/flow.ts';
import { executionId } from '../executions/execution-id.ts';
import { maxHoldMs, wakeFollowers, writeExecutions } from '../executions/executions.ts';
import { loadExecution, type Links } from './action-context.ts';
import { expireMatches } from './expire-matches.ts';
import { waitFor } from './order-of-messages.ts';
import { queueActions } from './queue-actions.ts';

let world: TestWorld;
let automation: Automation | undefined;
let receiver: http.Server;
let home: { tenantId: string; subscriptionId: string };
let links: Links;
let calls: string[] = [];
/** Answers that the test holds back, by path. */
const unanswered = new Map<string, http.ServerResponse>();

const createUnit: ActionCall = { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev2' } };

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  links = { publicUrl: 'http://localhost', ackLinks: world.ackLinks };
  receiver = http.createServer((request, response) => {
    const path = request.url ?? '';
    calls.push(path);
    if (path.startsWith('/held')) unanswered.set(path, response);
    else response.writeHead(path.startsWith('/wrong') ? 404 : 200).end('noted');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  calls = [];
});
afterAll(async () => {
  for (const response of unanswered.values()) response.end();
  await automation?.stop();
  receiver.closeAllConnections();
  receiver.close();
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

async function hook(path: string): Promise<ActionCall> {
  const { port } = receiver.address() as AddressInfo;
  const { body } = await world.call(holder([home.tenantId]), 'PUT', '/v1/actionDefinitions', {
    name: `Hook ${crypto.randomUUID()}`,
    actionDefinitionTypeId: 4,
    tenantId: home.tenantId,
    endpointUrl: `http://127.0.0.1:${port}${path}`,
    httpMethod: 'POST',
  });
  return { ActionDefinitionId: String(body['actionDefinitionId']), Parameters: {} };
}

/** Stores a match of a rule about a new device, and queues the match actions. */
async function matched(matchActions: ActionCall[], expirationActions: ActionCall[] = []) {
  const [match] = await rows<{ id: string }>(
    `with d as (
  insert into device (tenant_id, subscription_id, name) values ($1, $2, 'db-07') returning device_id
), r as (
  insert into rule (tenant_id, name, rule_type_id, conditions, match_lifetime, match_actions, expiration_actions)
  values ($1, 'Disk full', 1, '[]', 300, $3, $4) returning rule_id
)
insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
select $1, rule_id, device_id, 'Disk full: db-07', now() + interval '1 hour', now(), now(), gen_random_uuid() from d, r returning rule_match_id as id`,
    home.tenantId,
    home.subscriptionId,
    JSON.stringify(matchActions),
    JSON.stringify(expirationActions),
  );
  const ruleMatchId = match?.id ?? '';
  await queueActions(world.system.db, [
    { ruleMatchId, tenantId: home.tenantId, correlationId: crypto.randomUUID(), phase: 'match', calls: matchActions },
  ]);
  return { ruleMatchId, ids: matchActions.map((_, index) => executionId(ruleMatchId, 'match', index)) };
}

/** When the jobs of these executions are due, in milliseconds from now. */
async function dueInMs(messageIds: readonly string[]): Promise<number[]> {
  const jobs = await rows<{ ms: number }>(
    `select (extract(epoch from run_at - now()) * 1000)::float8 as ms from unnest($1::text[]) with ordinality as m (id, nth) join job on once_key = m.id order by nth`,
    messageIds,
  );
  return jobs.map((job) => job.ms);
}
const holdOf = async (messageId: string | undefined) => (await loadExecution(world.system.db, messageId ?? '', links))?.order.holdMs;

it('holds an action until the one before has ended, between its tries at most for its limit, and while its worker is lost', async () => {
  const { ids } = await matched([createUnit, await hook('/a'), await hook('/b')]);
  const [first, second] = ids;
  const [now = 1, later = 0, last = 0] = await dueInMs(ids);
  expect([now <= 0, later <= maxHoldMs, Math.round((last - later) / maxHoldMs)]).toEqual([true, true, 1]);
  expect([await holdOf(first), await holdOf(second)]).toEqual([0, 2_000]);
  // What waits for an earlier match keeps its place behind its own predecessor, and otherwise gets one.
  const [elsewhere = ''] = (await matched([createUnit])).ids;
  expect([await waitFor(world.system.db, second ?? '', elsewhere), await waitFor(world.system.db, first ?? '', elsewhere)]).toEqual([
    true,
    true,
  ]);
  expect(await waitFor(world.system.db, first ?? '', crypto.randomUUID())).toBe(false);
  const [places] = await rows<{ follows: string[] }>(
    'select array_agg(follows order by action_history_id) as follows from action_history where message_id = any($1)',
    [first, second],
  );
  expect(places?.follows).toEqual([elsewhere, first]);
  await rows('update action_history set follows = null where message_id = $1', first);
  await rows('delete from job where once_key = $1', elsewhere);
  // A worker has taken the first job.
  await rows("update job set attempts = 1, leased_by = 'w', leased_until = now() + interval '1 minute' where once_key = $1", first);
  expect(await holdOf(second)).toBe(2_000);
  // The worker of the first is lost.
  await rows("update job set leased_until = now() - interval '1 second' where once_key = $1", first);
  expect(await holdOf(second)).toBe(2_000);
  // The first execution has begun: first just now, then longer ago than the limit. The next try is due, so it comes before the second.
  await rows(
    `insert into action_try (tenant_id, action_history_id, number, started, target) select tenant_id, action_history_id, 1, now(), 'x'
     from action_history where message_id = $1`,
    first,
  );
  expect(await holdOf(second)).toBe(2_000);
  await rows(
    "update action_try set started = now() - $2::int * interval '1 millisecond' where target = 'x' and tenant_id = $1",
    home.tenantId,
    maxHoldMs,
  );
  expect(await holdOf(second)).toBe(2_000);
  // Another worker repeats it for as long as its lease.
  await rows("update job set attempts = 2, leased_by = 'v', leased_until = now() + interval '1 minute' where once_key = $1", first);
  expect(await holdOf(second)).toBe(2_000);
  // That try fails, and the next one is due later.
  await rows("update job set leased_by = null, leased_until = null, run_at = now() + interval '10 seconds' where once_key = $1", first);
  expect(await holdOf(second)).toBe(0);
  // A due try that waits for a receiver whose circuit is open does not hold.
  await rows("update job set run_at = now() - interval '1 second', destination = 'https://away.example' where once_key = $1", first);
  expect(await holdOf(second)).toBe(2_000);
  await rows(
    "insert into destination (tenant_id, origin, failures, paused_until) values ($1, 'https://away.example', 4, now() + interval '1 minute')",
    home.tenantId,
  );
  expect(await holdOf(second)).toBe(0);
  // The end of the first makes the second due now, and the third within `maxHoldMs`.
  await world.system.db.transaction((db) => wakeFollowers(db, first ?? ''));
  const [, isNow = 1, isNext = Infinity] = await dueInMs(ids);
  expect([isNow <= 0, isNext <= maxHoldMs]).toEqual([true, true]);
  await rows('delete from job where once_key = any($1)', ids);
});

it('gives each action what the ones before it have made', async () => {
  automation = await startAutomation(world);
  const actions = [createUnit, await hook('/unit/{PublicWorkUnitId}'), await hook('/last')];
  const matches = await Promise.all(Array.from({ length: 8 }, () => matched(actions)));
  for (const { ids } of matches) await automation.outcome(ids.at(-1));
  const units = await rows<{ path: string }>(
    "select '/unit/' || public_work_unit_id as path from work_unit where opened_by_rule_match_id = any($1)",
    matches.map((match) => match.ruleMatchId),
  );
  expect(units).toHaveLength(8);
  expect(calls.filter((path) => path !== '/last').toSorted()).toEqual(units.map((unit) => unit.path).toSorted());
  expect(calls).toHaveLength(16);
});

it('goes on at once after an action that failed, and past one that gets no answer after its limit and its try', async () => {
  const { ids } = await matched([await hook('/wrong'), await hook('/held/1'), await hook('/after')]);
  expect(await automation?.outcome(ids[0])).toMatchObject({ result_status_id: resultStatus.failure });
  await until(() => unanswered.has('/held/1'));
  expect(calls).toEqual(['/wrong', '/held/1']);
  // The limit has passed, by the clock of the database.
  await rows(
    "update action_try set started = started - $2::int * interval '1 millisecond' where target like '%/held/1' and tenant_id = $1",
    home.tenantId,
    maxHoldMs,
  );
  await rows('update job set run_at = now() - make_interval(secs => 1) where once_key = $1 and leased_until is null', ids[2]);
  await until(async () => ((await dueInMs(ids.slice(2)))[0] ?? 0) > 0);
  expect(calls).toEqual(['/wrong', '/held/1']);
  // The try ends without an answer, as it does at the timeout of a call.
  unanswered.get('/held/1')?.destroy();
  expect(await automation?.outcome(ids[2])).toMatchObject({ result_status_id: resultStatus.success });
  expect(calls).toEqual(['/wrong', '/held/1', '/after']);
  // The try that failed is repeated.
  unanswered.delete('/held/1');
  await rows("update job set run_at = now() - interval '1 second' where once_key = $1", ids[1]);
  await until(() => unanswered.has('/held/1'));
  unanswered.get('/held/1')?.end();
  expect(await automation?.outcome(ids[1])).toMatchObject({ result_status_id: resultStatus.success });
});

it('runs the actions of the end of a match after those of its opening', async () => {
  const { ruleMatchId, ids } = await matched([await hook('/held/2')], [await hook('/end')]);
  await until(() => unanswered.has('/held/2'));
  await rows("update rule_match set expires = now() - interval '1 second' where rule_match_id = $1", ruleMatchId);
  await expireMatches(world.system.db);
  const end = executionId(ruleMatchId, 'expiration', 0);
  expect(await holdOf(end)).toBeGreaterThan(0);
  expect(calls).toEqual(['/held/2']);
  unanswered.get('/held/2')?.end();
  expect(await automation?.outcome(ids[0])).toMatchObject({ result_status_id: resultStatus.success });
  expect(await automation?.outcome(end)).toMatchObject({ result_status_id: resultStatus.success });
  expect(calls).toEqual(['/held/2', '/end']);
});

it('sends the messages about a unit to one receiver in the order of its events, also when the first is tried again', async () => {
  const [unit] = await rows<{ id: number }>(
    `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'u', 1, 't', 't') returning work_unit_id as id`,
    home.tenantId,
  );
  const write = async (call: ActionCall) => {
    const messageId = crypto.randomUUID();
    await writeExecutions(world.system.db, [
      {
        tenantId: home.tenantId,
        actionDefinitionId: call.ActionDefinitionId,
        messageId,
        correlationId: crypto.randomUUID(),
        referenceId: String(unit?.id),
        parameters: call.Parameters,
        suppressed: false,
        detail: {},
        workUnitId: unit?.id ?? 0,
        protocolEventId: crypto.randomUUID(),
      },
    ]);
    return messageId;
  };
  const opened = await write(await hook('/held/opened'));
  await until(() => unanswered.has('/held/opened'));
  const resolved = await write(await hook('/resolved'));
  const mailed = await write({ ActionDefinitionId: builtInAction.email, Parameters: { To: 'desk@example.com', Subject: 'x', Body: 'x' } });
  expect(await automation?.outcome(mailed)).toMatchObject({ result_status_id: resultStatus.success });
  // The first try ends without an answer, and the next one is due in ten seconds.
  unanswered.get('/held/opened')?.destroy();
  unanswered.delete('/held/opened');
  await until(async () => ((await dueInMs([opened]))[0] ?? 0) > 5_000);
  await rows('update job set run_at = now() where once_key = $1', resolved);
  await until(async () => ((await dueInMs([resolved]))[0] ?? 0) > 5_000);
  expect(calls).toEqual(['/held/opened']);
  await rows("update job set run_at = now() - interval '1 second' where once_key = $1", opened);
  await until(() => unanswered.has('/held/opened'));
  unanswered.get('/held/opened')?.end();
  expect(await automation?.outcome(resolved)).toMatchObject({ result_status_id: resultStatus.success });
  expect(calls).toEqual(['/held/opened', '/held/opened', '/resolved']);
});

it('drops what an earlier match still has to tell a receiver when the next one is told, and an end that is no longer true', async () => {
  const [down, up] = [await hook('/down'), await hook('/held/up')];
  const first = await matched([down], [up]);
  expect(await automation?.outcome(first.ids[0])).toMatchObject({ result_status_id: resultStatus.success });
  await rows("update rule_match set expires = now() - interval '1 second', closed = now() where rule_match_id = $1", first.ruleMatchId);
  // The end is queued by the next match, not by the sweep.
  const [second] = await rows<{ id: string }>(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, created, correlation_id)
select tenant_id, rule_id, subject_id, label, now() + interval '1 hour', now(), now(), now() + interval '1 second', gen_random_uuid() from rule_match where rule_match_id = $1
returning rule_match_id as id`,
    first.ruleMatchId,
  );
  const ruleMatchId = second?.id ?? '';
  await queueActions(world.system.db, [
    { ruleMatchId, tenantId: home.tenantId, correlationId: crypto.randomUUID(), phase: 'match', calls: [down] },
  ]);
  const end = executionId(first.ruleMatchId, 'expiration', 0);
  const again = executionId(ruleMatchId, 'match', 0);
  await until(() => unanswered.has('/held/up'));
  expect(await holdOf(again)).toBe(2_000);
  unanswered.get('/held/up')?.destroy();
  unanswered.delete('/held/up');
  await until(async () => ((await dueInMs([end]))[0] ?? 0) > 5_000);
  expect(calls).toEqual(['/down', '/held/up']);
  // The limit has passed, by the clock of the database.
  await rows(
    `update action_try t set started = started - $2::int * interval '1 millisecond' from action_history h where h.message_id = $1 and t.action_history_id = h.action_history_id`,
    end,
    maxHoldMs,
  );
  await rows('update job set run_at = now() where once_key = $1', again);
  expect(await automation?.outcome(again)).toMatchObject({ result_status_id: resultStatus.success });
  expect(await automation?.outcome(end)).toMatchObject({
    result_status_id: resultStatus.suppressed,
    result_detail: { reason: 'superseded' },
  });
  expect(calls).toEqual(['/down', '/held/up', '/down']);
  // An end that is queued late, such as after a maintenance, is not told while people were told of a later match.
  await queueActions(world.system.db, [
    {
      ruleMatchId: first.ruleMatchId,
      tenantId: home.tenantId,
      correlationId: crypto.randomUUID(),
      phase: 'expiration',
      calls: [up],
      again: 'held',
    },
  ]);
  expect(await automation?.outcome(executionId(first.ruleMatchId, 'expiration', 0, 'held'))).toMatchObject({
    result_status_id: resultStatus.suppressed,
    result_detail: { reason: 'superseded' },
  });
});
