/**
 * For the table of situations in `life.test.ts`: one installation with a receiver, and a separate device and rule for each
 * situation.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { expireMatches } from '../../automation/expire-matches.ts';
import { watchAnswers } from '../../automation/protocols/answer-watch.ts';
import { followEndedUnits } from '../../automation/units/goes-on.ts';
import { repeatMessages } from '../../automation/units/repeat-messages.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { maintenanceWork } from '../run/maintenance/maintenance-work.ts';
import { evaluateSilenceOfAll } from '../run/silence/sweep.ts';
import type { Entity } from '../run/entity.ts';
import { silent, until } from './flow.ts';

/** The steps of a situation, one word per step: see `steps` below. */
export type MatchStory = string;

type Body = Record<string, unknown>;

const metric = (Operator: number, RightOperand: string) => ({
  Type: 'And',
  LeftOperand: 62,
  LeftOperandFieldName: 'Cpu',
  Operator,
  RightOperand,
});
const ofDevice = (deviceId: string) => ({ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: deviceId });
const always = { DaysOfWeek: [0, 1, 2, 3, 4, 5, 6], TimeZoneId: 'UTC' };
const color = (Color: string) => ({ ActionDefinitionId: builtInAction.setColor, Parameters: { Color } });

export interface LifeWorld {
  /** Plays a story on a new device and rule, and returns the result. `rule`: fields of the rule that differ. */
  play(story: MatchStory, rule?: Body): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export async function createLifeWorld(): Promise<LifeWorld> {
  const world: TestWorld = await createWorld();
  const home = await world.tenant();
  const me = holder([home.tenantId]);
  const automation: Automation = await startAutomation(world);
  const ingests: Ingest[] = [await openIngest({ database: world.database, log: silent })];
  const calls: string[] = [];
  const receiver = http.createServer((request, response) => {
    calls.push((request.url ?? '').slice(1));
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const token = world.ctx({ ...me, actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } });
  const db = world.system.db;
  const rows = <T = object>(text: string, ...values: unknown[]) => db.query<T>({ text, values });

  async function call(method: string, url: string, body?: Body): Promise<Body> {
    const reply = await world.call(me, method, url, body);
    if (reply.status >= 300) throw new Error(`${method} ${url}: ${reply.status} ${reply.text}`);
    return reply.body;
  }

  /** Waits until each process has read the current rule. */
  async function waitForRule(ruleId: string, is: boolean): Promise<void> {
    for (const { rules } of ingests) await until(() => is === Boolean(rules.ingestion().get(ruleId) ?? rules.maintenance().get(ruleId)));
  }

  async function definition(name: string): Promise<string> {
    const fields = { name, actionDefinitionTypeId: 3, tenantId: home.tenantId, endpointUrl: `${base}/${name}`, httpMethod: 'POST' };
    return String((await call('PUT', '/v1/actionDefinitions', fields))['actionDefinitionId']);
  }

  async function play(story: MatchStory, fields: Body = {}): Promise<Record<string, string>> {
    const name = crypto.randomUUID().slice(0, 8);
    const deviceId = String((await call('PUT', '/v1/devices', { name, ...home }))['deviceId']);
    const [begin, end] = [await definition(`${name}-begin`), await definition(`${name}-end`)];
    const ruleFields = {
      name,
      ruleTypeId: 1,
      ...home,
      conditions: [ofDevice(deviceId), metric(3, '90')],
      matchActions: [
        { ActionDefinitionId: begin, Parameters: {} },
        color('red'),
        { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: {} },
      ],
      expirationActions: [{ ActionDefinitionId: end, Parameters: {} }, color('green')],
      ...fields,
    };
    const ruleId = String((await call('PUT', '/v1/rules', ruleFields))['ruleId']);
    await waitForRule(ruleId, true);
    let maintenanceId = '';
    let windowId = '';
    const send = async (value: number, more: Body = {}, ...into: Ingest[]): Promise<void> => {
      const packet = { entityId: deviceId, message: { Metrics: { Cpu: value } }, ...more };
      const answers = await Promise.all(
        (into.length > 0 ? into : ingests.slice(-1)).map((item) => item.ingestBody(token, [packet], 'application/json')),
      );
      const refused = answers.flatMap(({ value: items }) => items).find((item) => item.status === 'refused');
      if (refused) throw new Error(JSON.stringify(refused));
    };
    const sweep = (ingest: Ingest = ingests[ingests.length - 1] as Ingest) => maintenanceWork(ingest).run(db);
    const maintain = async (): Promise<void> => {
      const rule = { name: `m ${name}`, ruleTypeId: 5, ...home, conditions: [ofDevice(deviceId)], timeConditions: always };
      maintenanceId = String((await call('PUT', '/v1/rules', rule))['ruleId']);
      await waitForRule(maintenanceId, true);
    };
    /** Waits until each process knows whether the device is in a maintenance that a person started. */
    const waitForWindow = async (is: boolean): Promise<void> => {
      const entity = { id: deviceId, tenantId: home.tenantId, device: { id: deviceId } } as Entity;
      for (const { rules } of ingests) await until(() => is === rules.windows().concerning(entity, Date.now()).length > 0);
    };
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const at = (seconds: number) => ({ timestamp: new Date(Date.now() + seconds * 1_000).toISOString() });
    /** Waits until nothing is under way any more: each execution has its outcome. */
    const settle = () =>
      until(async () => {
        const waiting = await rows(
          `select 1 from action_history h join rule_match m on m.rule_match_id::text = h.reference_id
           where m.subject_id = $1 and h.result_status_id = ${resultStatus.enqueueSuccess}`,
          deviceId,
        );
        return waiting.length === 0;
      });

    /** Edits the latest unit. */
    const edit = async (body: Body): Promise<void> => {
      const [unit] = await rows<{ id: number }>('select max(work_unit_id) as id from work_unit where title like $1', `${name}%`);
      await call('POST', `/v1/workunits/${unit?.id}`, body);
    };
    const setState = (stateId: string): Promise<void> => edit({ stateId });

    const steps: Record<string, () => Promise<unknown>> = {
      /** Sends a packet that the rule matches (`bad`), or one that it does not match (`good`). */
      bad: () => send(95),
      good: () => send(5),
      /** Sends a packet that satisfies neither the conditions nor the recovery conditions. */
      middling: () => send(70),
      /**
       * Sends the same packet twice, with the same message id: one after the other, or from two processes at the same time
       * (`race`).
       */
      twice: async () => {
        const id = { messageId: crypto.randomUUID(), ...at(0) };
        await send(95, id);
        await send(95, id);
      },
      race: async () => {
        const other = await openIngest({ database: world.database, log: silent });
        ingests.unshift(other);
        await send(95, { messageId: crypto.randomUUID(), ...at(0) }, other, ingests.at(-1) as Ingest);
        ingests.shift();
        await other.stop();
      },
      /**
       * `maintain` puts the device into maintenance by a rule; the next steps disable the rule, delete it, or limit it to a
       * time in the past.
       */
      maintain: () => maintain(),
      unmaintain: async () => {
        await call('POST', `/v1/rules/${maintenanceId}`, { enabled: false });
        await waitForRule(maintenanceId, false);
      },
      forget: async () => {
        await call('DELETE', `/v1/rules/${maintenanceId}`);
        await waitForRule(maintenanceId, false);
      },
      close: async () => {
        await call('POST', `/v1/rules/${maintenanceId}`, { timeConditions: { ...always, EndRange: '2020-01-01T00:00:00Z' } });
        await until(() => ingests.every(({ rules }) => rules.maintenance().get(maintenanceId)?.inTimeWindow?.(Date.now()) === false));
      },
      /**
       * `hold`, `extend` and `release`: a person puts the device into maintenance, extends the maintenance and ends it early.
       */
      hold: async () => {
        const window = { reason: 'New disk', tenantId: home.tenantId, deviceIds: [deviceId], endsAt: inHours(1) };
        windowId = String((await call('PUT', '/v1/maintenanceWindows', window))['maintenanceWindowId']);
        await waitForWindow(true);
      },
      extend: () => call('POST', `/v1/maintenanceWindows/${windowId}`, { endsAt: inHours(4) }),
      release: async () => {
        await call('POST', `/v1/maintenance/end/${windowId}`);
        await waitForWindow(false);
      },
      /** Runs the periodic work on maintenance once, or three times at once. */
      sweep: () => sweep(),
      sweeps: () => Promise.all([sweep(), sweep(), sweep()]),
      silence: () => evaluateSilenceOfAll(db, ingests.at(-1) as Ingest),
      /** Runs the periodic work that ends matches, twice at once. */
      tick: () => Promise.all([expireMatches(db), expireMatches(db)]),
      /** Ends the lifetime of the open match. */
      expire: async () => {
        await rows(`update rule_match set expires = now() - interval '1 second' where subject_id = $1 and closed is null`, deviceId);
        await Promise.all([expireMatches(db), expireMatches(db)]);
      },
      /** Lets the lifetime of the open match end, which no periodic work notices yet. */
      over: () => rows(`update rule_match set expires = now() - interval '1 second' where subject_id = $1 and closed is null`, deviceId),
      /** Replaces the process by another process with empty memory. */
      restart: async () => {
        const next = await openIngest({ database: world.database, log: silent });
        await ingests.pop()?.stop();
        ingests.push(next);
      },
      disable: async () => {
        await call('POST', `/v1/rules/${ruleId}`, { enabled: false });
        await waitForRule(ruleId, false);
      },
      enable: async () => {
        await call('POST', `/v1/rules/${ruleId}`, { enabled: true });
        await waitForRule(ruleId, true);
      },
      delete: async () => {
        await call('DELETE', `/v1/rules/${ruleId}`);
        await waitForRule(ruleId, false);
      },
      remove: () => call('DELETE', `/v1/devices/${deviceId}`),
      ack: () => setState('Acknowledged'),
      /** A person ends the latest unit, or opens it again. */
      resolve: async () => {
        await setState('Acknowledged');
        await setState('Resolved');
      },
      cancel: () => setState('Canceled'),
      reopen: () => setState('New'),
      /** A person opens a unit, and merges the latest one into it. */
      merge: async () => {
        const [unit] = await rows<{ id: number }>('select max(work_unit_id) as id from work_unit where title like $1', `${name}%`);
        const into = await call('PUT', '/v1/workunits', {
          title: `${name} by phone`,
          severityId: 'Sev3',
          workUnitTypeId: 1,
          tenantId: home.tenantId,
        });
        await call('POST', `/v1/workUnits/${String(into['workUnitId'])}/merge`, { ids: [unit?.id] });
      },
      leave: () => edit({ assignedTo: null }),
      take: () => edit({ assignedTo: 'sam@example.com' }),
      /** Lets six minutes pass for the open match and for units that have ended while it was open. */
      later: async () => {
        await rows(
          "update rule_match set last_match = last_match - interval '6 minutes' where subject_id = $1 and closed is null",
          deviceId,
        );
        await rows(
          "update unit_watch set since = since - interval '6 minutes' where work_unit_id in (select work_unit_id from work_unit where title like $1)",
          `${name}%`,
        );
      },
      /** Lets half an hour pass for everything that anybody was told of, and for the match. */
      wait: async () => {
        await rows(
          "update rule_match set created = created - interval '30 minutes', held_until = held_until - interval '30 minutes' where subject_id = $1",
          deviceId,
        );
        await rows(
          `update action_history h set action_processed = h.action_processed - interval '30 minutes' from rule_match m
           where m.rule_match_id::text = h.reference_id and m.subject_id = $1`,
          deviceId,
        );
      },
      /** Runs the messages that are due again, in three processes at once. */
      again: () => Promise.all([repeatMessages(db), repeatMessages(db), repeatMessages(db)]),
      /** Lets the acknowledgement of the latest unit run out, if the rule says so. */
      forgotten: async () => {
        await rows('update rule set acknowledged_for = 1 where rule_id = $1 and acknowledged_for is not null', ruleId);
        await new Promise((resolve) => setTimeout(resolve, 1_100));
        await rows(
          'update answer_watch w set look_at = now() from work_unit u where u.work_unit_id = w.work_unit_id and u.rule_id = $1',
          ruleId,
        );
        await Promise.all([watchAnswers(world.database, silent), watchAnswers(world.database, silent)]);
      },
      /** Runs the periodic work on ended units whose matches go on, twice at once. */
      follow: () => Promise.all([followEndedUnits(db), followEndedUnits(db)]),
    };
    let effects = '';
    for (const step of story.split(' ')) {
      const before = calls.length;
      const [word = '', seconds] = step.split('@');
      if (seconds !== undefined) await send(word === 'bad' ? 95 : 5, at(Number(seconds)));
      else {
        const run = steps[word];
        if (!run) throw new Error(`The step ${word} is not known.`);
        await run();
      }
      await settle();
      // The consequences of one step have no fixed order.
      const ownCalls = calls.slice(before).filter((call) => call.startsWith(name));
      for (const one of ownCalls.toSorted()) effects += ` ${one.slice(name.length + 1)}`;
    }

    const [block] = await rows<{ color: string | null }>(
      "select entity_color ->> 'color' as color from block where device_id = $1",
      deviceId,
    );
    const matches = await rows<{ closed: string | null; count: number; waits: boolean }>(
      'select closed, match_count as count, held_since is not null and held_until is null as waits from rule_match where subject_id = $1 and rule_id = $2 order by first_match, created',
      deviceId,
      ruleId,
    );
    const suppressed = await rows<{ phase: string; reason: string }>(
      `select distinct on (h.action_history_id) h.result_detail ->> 'phase' as phase, h.result_detail ->> 'reason' as reason
       from action_history h join rule_match m on m.rule_match_id::text = h.reference_id
       where m.subject_id = $1 and h.action_definition_id = any($2::uuid[]) and h.result_status_id = ${resultStatus.suppressed} order by h.action_history_id`,
      deviceId,
      [begin, end],
    );
    const units = await rows<{ state: string }>(
      'select state_id as state from work_unit where title like $1 order by work_unit_id',
      `${name}%`,
    );
    return {
      calls: effects.trim(),
      color: (block?.color ?? '').replace('grey', ''),
      matches: matches.map((match) => `${match.closed ? 'closed' : 'open'}${match.waits ? '+held' : ''} ${match.count}`).join(', '),
      notRun: suppressed.map(({ phase, reason }) => `${phase}:${reason}`).join(' '),
      units: units.map((unit) => unit.state).join(' '),
    };
  }

  return {
    play,
    async close() {
      for (const ingest of ingests) await ingest.stop();
      await automation.stop();
      receiver.closeAllConnections();
      await new Promise((resolve) => receiver.close(resolve));
      await world.close();
    },
  };
}
