/** Tools that read: search, look at one thing, explain, summarise, simulate. */
import { z } from 'zod';
import {
  alsoNow,
  explainEntity,
  explainMatch,
  explainRule,
  getBacktest,
  listMetrics,
  onCallNow,
  pendingActions,
  readSeries,
  simulateProtocol,
  startBacktest,
  workUnitHistory,
} from '@cloudfit/contract/calls.ts';
import { openStates, severities, workUnitStates } from '@cloudfit/contract/enums.ts';
import { and, or } from '@cloudfit/contract/query/build.ts';
import { resources, type ResourceName } from '@cloudfit/contract/resources/registry.ts';
import { defineTool, deviceNamed, quoted, unitByNumber, type McpTool } from './tool.ts';
import type { InnerCalls } from './inner-calls.ts';

/** The most rows of one answer. */
const maxRows = 50;
const limit = z.int().min(1).max(maxRows).default(20).describe(`How many rows at most, up to ${maxRows}.`);
const number = z.int().positive().describe('The number of the work unit, as people see it.');
const device = z.string().min(1).max(200).describe('The name or the id of the device.');
const time = z.iso.datetime({ offset: true }).describe('ISO 8601 with a zone, such as 2026-11-29T07:00:00Z.');

const unitFields = [
  'publicWorkUnitId',
  'tenantId',
  'title',
  'severityId',
  'stateId',
  'assignedTo',
  'assignmentGroup',
  'created',
  'modified',
  'resolved',
] as const;

const searchUnits = defineTool({
  name: 'search_work_units',
  title: 'Search work units',
  about: 'Finds work units (incidents, requests, changes) by text, state, severity, assignee or tenant, the most severe and newest first.',
  input: z.object({
    text: z.string().max(500).optional().describe('Words to find, also mistyped, in title, description, notes, devices and tenant.'),
    state: z.enum(['open', 'all', ...workUnitStates]).default('open'),
    severity: z.enum(severities).optional(),
    assignedTo: z.string().max(320).optional().describe('The sign-in name of the assignee.'),
    tenant: z.string().max(200).optional().describe('The name of the tenant.'),
    limit,
  }),
  run: async (calls, { text, state, severity, assignedTo, tenant, limit: top }) => {
    const states = state === 'open' ? openStates : state === 'all' ? [] : [state];
    const stateIs = or(...states.map((item) => `stateId eq ${quoted(item)}`));
    const filter = and(
      stateIs === undefined ? undefined : `(${stateIs})`,
      severity === undefined ? undefined : `severityId eq ${quoted(severity)}`,
      assignedTo === undefined ? undefined : `assignedTo eq ${quoted(assignedTo)}`,
      tenant === undefined ? undefined : `tenant/name eq ${quoted(tenant)}`,
      text === undefined ? undefined : `found(${quoted(text)})`,
    );
    const { value, '@odata.count': total } = await calls.list('workUnits', {
      filter,
      top,
      count: true,
      select: unitFields,
    });
    return { total, rows: value };
  },
});

const readUnit = defineTool({
  name: 'read_work_unit',
  title: 'Read a work unit',
  about: 'All fields of one work unit, with its latest notes.',
  input: z.object({ number }),
  run: async (calls, input) => {
    const unit = await unitByNumber(calls, input.number);
    const { value: notes } = await calls.list('workUnitNotes', {
      filter: `workUnitId eq ${unit.workUnitId} and historyType eq null`,
      orderBy: 'created desc',
      select: ['detail', 'created', 'createdBy', 'isExternalNote', 'isFromCustomer'],
      top: 20,
    });
    return { unit, notes };
  },
});

/** What a part of a summary answers; the reason when the caller may not read it. */
const orRefused = <T>(part: Promise<T>): Promise<T | { notReadable: string }> =>
  part.catch((error: unknown) => ({ notReadable: error instanceof Error ? error.message : String(error) }));

async function firstMatch(calls: InnerCalls, workUnitId: number) {
  const { value } = await calls.list('unitMatches', {
    filter: `workUnitId eq ${workUnitId}`,
    orderBy: 'firstMatch asc',
    select: ['ruleMatchId', 'ruleId', 'subjectId', 'label', 'state', 'firstMatch', 'lastMatch', 'closed', 'matchCount', 'reason'],
    top: 10,
  });
  const [match] = value;
  return {
    matches: value,
    explanation: match && (await calls.call(explainMatch, { id: match.ruleMatchId })),
  };
}

const summariseUnit = defineTool({
  name: 'summarise_work_unit',
  title: 'Facts for a summary of a work unit',
  about:
    'Everything that a summary of a work unit needs: fields, history, the matches of rules behind it and why they opened, actions that wait for a person, and other open units around it. Write the summary from these facts alone.',
  input: z.object({ number }),
  run: async (calls, input) => {
    const unit = await unitByNumber(calls, input.number);
    const id = unit.workUnitId;
    const [history, rules, waiting, around] = await Promise.all([
      orRefused(calls.call(workUnitHistory, { workUnitId: id }).then(({ value }) => value.slice(0, 40))),
      orRefused(firstMatch(calls, id)),
      orRefused(
        calls.call(pendingActions, { id }).then(({ value }) => value.map(({ name, status, summary }) => ({ name, status, summary }))),
      ),
      orRefused(calls.call(alsoNow, { id })),
    ]);
    return { unit, history, rules, waiting, around };
  },
});

const explainUnit = defineTool({
  name: 'explain_work_unit',
  title: 'Why was a work unit opened',
  about: 'Why a work unit was opened: the match of a rule behind it, each condition with what it saw, and the actions that followed.',
  input: z.object({ number }),
  run: async (calls, input) => {
    const unit = await unitByNumber(calls, input.number);
    const { matches, explanation } = await firstMatch(calls, unit.workUnitId);
    return explanation
      ? { title: unit.title, explanation, matches }
      : { title: unit.title, explanation: `No rule has to do with it: ${unit.createdBy} opened it.` };
  },
});

const explainDevice = defineTool({
  name: 'explain_device',
  title: 'Why was somebody notified about a device, or nobody',
  about: 'What all rules made of the latest packet of a device at a time: who was notified, or why nobody was.',
  input: z.object({ device, at: time.optional() }),
  run: async (calls, { device: name, at }) => {
    const { deviceId } = await deviceNamed(calls, name);
    return calls.call(explainEntity, { entityId: deviceId, at });
  },
});

const explainOneRule = defineTool({
  name: 'explain_rule',
  title: 'Why did a rule match a device, or not',
  about: 'What one rule did with the latest packet of a device at a time: each condition, what it saw, and why it matched or not.',
  input: z.object({ ruleId: z.guid().describe('The id of the rule; read_rows of rules finds it.'), device, at: time.optional() }),
  run: async (calls, { ruleId, device: name, at }) => {
    const { deviceId } = await deviceNamed(calls, name);
    return calls.call(explainRule, { id: ruleId, entityId: deviceId, at });
  },
});

const whatChanged = defineTool({
  name: 'what_changed',
  title: 'What changed',
  about:
    'Who changed what in the last hours, from the audit, newest first: settings, rules, devices, grants. For a device, only its own changes.',
  input: z.object({ hours: z.int().min(1).max(720).default(24), device: device.optional(), limit }),
  run: async (calls, { hours, device: name, limit: top }) => {
    const since = new Date(Date.now() - hours * 3_600_000).toISOString();
    const of = name === undefined ? undefined : `entity eq 'devices' and entityId eq ${quoted((await deviceNamed(calls, name)).deviceId)}`;
    const { value, '@odata.count': total } = await calls.list('audit', { filter: and(`at ge ${since}`, of), top, count: true });
    return { total, rows: value };
  },
});

const searchDevices = defineTool({
  name: 'search_devices',
  title: 'Search devices',
  about: 'Finds devices by a part of their name, host name, address or tags.',
  input: z.object({ text: z.string().min(1).max(200), limit }),
  run: async (calls, { text, limit: top }) => {
    const { value, '@odata.count': total } = await calls.list('devices', {
      filter: or(...['name', 'tags', 'description', 'hostFacts'].map((field) => `contains(folded(${field}),folded(${quoted(text)}))`)),
      select: ['deviceId', 'name', 'tenantId', 'enabled', 'tags', 'description'],
      top,
      count: true,
    });
    return { total, rows: value };
  },
});

const readDevice = defineTool({
  name: 'read_device',
  title: 'Read a device',
  about: 'One device with its latest packet and the matches of rules that are open for it.',
  input: z.object({ device }),
  run: async (calls, { device: name }) => {
    const row = await deviceNamed(calls, name);
    const [packet, matches] = await Promise.all([
      orRefused(calls.list('packets', { filter: `entityId eq ${row.deviceId}`, top: 1 }).then(({ value }) => value[0] ?? null)),
      orRefused(
        calls
          .list('ruleMatches', {
            filter: `subjectId eq ${row.deviceId} and closed eq null`,
            select: ['ruleMatchId', 'ruleId', 'label', 'firstMatch', 'lastMatch', 'matchCount', 'inMaintenance'],
            top: 20,
          })
          .then(({ value }) => value),
      ),
    ]);
    return { device: row, packet, matches };
  },
});

const readMetric = defineTool({
  name: 'read_metric',
  title: 'Read a metric over time',
  about: 'A metric of a device over time, with minimum, average and maximum of each interval. Without a metric: the names that there are.',
  input: z.object({
    device,
    metric: z.string().max(200).optional(),
    from: time.optional(),
    to: time.optional(),
    points: z.int().min(1).max(200).default(60),
  }),
  run: async (calls, { device: name, metric, from, to, points }) => {
    const { deviceId } = await deviceNamed(calls, name);
    if (metric === undefined) return calls.call(listMetrics, { id: deviceId });
    const since = from ?? new Date(Date.now() - 86_400_000).toISOString();
    return calls.call(readSeries, { from: since, to, points, series: [{ entityId: deviceId, metric }] });
  },
});

const listed = resources.filter(({ verbs }) => verbs.includes('list'));
const names = listed.map(({ name }) => name as ResourceName);

const readRows = defineTool({
  name: 'read_rows',
  title: 'Read rows of any entity',
  about: `Rows of one entity by an OData 4.0 filter, for what the other tools do not read. Entities: ${names.join(', ')}. describe_entity lists the fields of one.`,
  input: z.object({
    entity: z.enum(names),
    filter: z.string().max(4_000).optional().describe("OData, such as: name eq 'web 1' and enabled eq true"),
    select: z.array(z.string().max(100)).max(30).optional().describe('The fields to read; fewer leave room for more rows.'),
    orderBy: z.string().max(300).optional().describe('Such as: created desc'),
    limit,
  }),
  run: async (calls, { entity, filter, select, orderBy, limit: top }) => {
    const { value, '@odata.count': total } = await calls.list(entity, {
      filter,
      select,
      ...(orderBy === undefined ? {} : { orderBy }),
      top,
      count: true,
    });
    return { total, rows: value };
  },
});

const describeEntity = defineTool({
  name: 'describe_entity',
  title: 'Describe an entity',
  about: 'The fields of an entity, with their kinds and choices, for read_rows.',
  input: z.object({ entity: z.enum(names) }),
  run: (_calls, { entity }) => {
    const resource = listed.find(({ name }) => name === entity);
    const fields = Object.entries(resource?.fields ?? {}).map(([name, { kind, label, choices, filter }]) => ({
      name,
      label,
      kind,
      ...(choices ? { choices: choices.map(({ value, label: shown }) => (shown === String(value) ? value : `${value} (${shown})`)) } : {}),
      ...(filter ? {} : { filter }),
    }));
    return Promise.resolve({ entity, about: resource?.about, key: resource?.key, fields });
  },
});

const onCall = defineTool({
  name: 'who_is_on_call',
  title: 'Who is on call',
  about: 'Who is on call now, by schedule.',
  input: z.object({}),
  run: (calls) => calls.call(onCallNow, {}),
});

const simulate = defineTool({
  name: 'simulate_protocol',
  title: 'Simulate a protocol',
  about: 'What a protocol would do for a work unit of a severity that stays New, or passes through states. Runs nothing.',
  input: z.object({
    protocolId: z.guid(),
    severity: z.enum(severities),
    start: time.optional(),
    states: z
      .array(z.object({ stateId: z.enum(workUnitStates), at: time }))
      .max(20)
      .optional(),
  }),
  run: (calls, { protocolId, severity, start, states }) =>
    calls.call(simulateProtocol, { id: protocolId, severityId: severity, start: start ?? new Date().toISOString(), states }),
});

const backtest = defineTool({
  name: 'backtest_rule',
  title: 'Backtest a rule',
  about:
    'What a saved rule would have done with stored packets, with changed fields where given, beside the rule as it is. Begins a run, and answers its result or its id: read_backtest goes on.',
  input: z.object({
    ruleId: z.guid(),
    from: time,
    to: time.optional(),
    changes: z.record(z.string(), z.unknown()).optional().describe('Fields of the rule with other values, such as conditions.'),
  }),
  run: async (calls, { ruleId, from, to, changes = {} }) => {
    const { value } = await calls.list('rules', { filter: `ruleId eq ${ruleId}`, top: 1 });
    const [rule] = value;
    if (!rule) return { problem: 'There is no such rule that you may see.' };
    const { id } = await calls.call(startBacktest, { rule: { ...rule, ...changes } as never, ruleId, from, to });
    return { backtestId: id, ...(await calls.call(getBacktest, { id })) };
  },
});

const readBacktest = defineTool({
  name: 'read_backtest',
  title: 'Read a backtest',
  about: 'How far a backtest is, and what it found.',
  input: z.object({ backtestId: z.guid() }),
  run: (calls, { backtestId }) => calls.call(getBacktest, { id: backtestId }),
});

export const readTools: readonly McpTool[] = [
  searchUnits,
  readUnit,
  summariseUnit,
  explainUnit,
  searchDevices,
  readDevice,
  readMetric,
  explainDevice,
  explainOneRule,
  whatChanged,
  onCall,
  readRows,
  describeEntity,
  simulate,
  backtest,
  readBacktest,
];
