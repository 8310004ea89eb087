/** What a person should do now: whom each reason concerns, in which order, and that it equals a slow model. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import fc from 'fast-check';
import { maxDoNow, type DoNowReason } from '@cloudfit/contract/actions/work-units/do-now.ts';
import { openStates, severities, workUnitStates } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { personIn, sampleBody } from '../../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let tenantId: string;
let otherId: string;
beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant('Northwind');
  ({ tenantId } = home);
  ({ tenantId: otherId } = await world.tenant('Southwind'));
});
afterAll(() => world.close());

const view = permission('WorkUnits', 'view');
const edit = permission('WorkUnits', 'edit');
const create = permission('WorkUnits', 'create');
const communications = [permission('WorkUnitCommunications', 'view'), permission('WorkUnitCommunications', 'edit')];
const rights = [view, edit, create, ...communications];

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

async function person(name: string, { tenants = [tenantId], groups = [] as string[], permissions = rights as readonly string[] } = {}) {
  const id = await personIn(world, tenantId, `${name} ${crypto.randomUUID()}`);
  const userName = `${name.toLowerCase()}.${id.slice(-8)}@example.com`;
  await rows('update person set user_name = $2, email = $2, claims = $3 where person_id = $1', id, userName, groups);
  return { ...holder(tenants, permissions), actor: { kind: 'person', id, name, userName } as const };
}
type Person = Awaited<ReturnType<typeof person>>;

const all = holder('all');
async function open(title: string, more: object = {}): Promise<number> {
  const body = { title, severityId: 'Sev3', workUnitTypeId: 1, tenantId, ...more };
  return Number((await world.call(all, 'PUT', '/v1/workunits', body)).body['workUnitId']);
}
const change = (id: number, fields: object) => world.call(all, 'POST', `/v1/workunits/${id}`, fields);

interface Entry {
  tenantName: string;
  unit: Record<string, unknown> | null;
  communication: Record<string, unknown> | null;
  reasons: { kind: DoNowReason; due: string | null; since: string; detail: string | null; id: string | null }[];
}
interface Answer {
  value: Entry[];
  total: number;
  isCut: boolean;
}
const ask = async (of: TestCaller, only?: string) =>
  (await world.call(of, 'GET', `/v1/workunits/doNow${only ? `?tenantId=${only}` : ''}`)).body as unknown as Answer;
const entriesOf = async (of: TestCaller, only?: string) =>
  (await ask(of, only)).value.map(
    ({ unit, communication, reasons }) => `${String((unit ?? communication)?.['title'])}: ${reasons.map(({ kind }) => kind).join(', ')}`,
  );

it('knows an assignee by the sign-in name and the address, however their account writes them', async () => {
  const ida = await person('Ida');
  const [name, address] = [`Ida.${ida.actor.id}@Example.com`, `I.Moor.${ida.actor.id}@Mail.Example.com`];
  await rows('update person set user_name = $2, email = $3 where person_id = $1', ida.actor.id, name, address);
  for (const as of [name, address]) {
    await open(`Of ${as}`, { assignedTo: as });
    await open(`Of ${as.toLowerCase()}`, { assignedTo: as.toLowerCase() });
  }
  const entries = (await entriesOf({ ...ida, actor: { ...ida.actor, userName: name } })).filter((entry) => entry.endsWith(': Assigned'));
  expect(entries.toSorted()).toEqual(
    [name, name.toLowerCase(), address, address.toLowerCase()].map((as) => `Of ${as}: Assigned`).toSorted(),
  );
});

it('ranks call backs, severe units, promises, questions, new units and own work, each once with all its reasons', async () => {
  const mara = await person('Mara', { groups: ['Pumps'] });
  const tom = await person('Tom');
  const mine = await open('Paint the gate', { assignedTo: mara.actor.userName });
  const onHold = await open('Wait for parts', { severityId: 'Sev0', assignedTo: mara.actor.userName });
  await change(onHold, { stateId: 'Acknowledged' });
  await change(onHold, { stateId: 'OnHold' });
  const severe = await open('Pump 4 is on fire', { severityId: 'Sev1', assignmentGroup: 'Pumps' });
  await open('Pump 5 is slow', { assignmentGroup: 'Pumps' });
  const anybody = await open('Door is open');
  await open('Cable is loose', { assignmentGroup: 'Network' });
  const late = await open('Valve is hot', { assignedTo: mara.actor.userName });
  await rows(
    "update work_unit set clock_warn = now() - interval '1 hour', clock_due = now() - interval '1 minute' where work_unit_id = $1",
    late,
  );
  const called = await open('Customer waits', { assignedTo: tom.actor.userName });
  await world.call({ ...tom }, 'POST', `/v1/workunitnotes/callme/${called}`);
  await world.call(all, 'PUT', '/v1/workUnitNotes', { workUnitId: mine, detail: `Which colour, @${mara.actor.userName}?` });
  await rows(
    "insert into work_unit_communication (tenant_id, title, created_by, user_changed_by, next_update) values ($1, 'Outage in Leeds', 'x', 'x', now() - interval '2 hours')",
    tenantId,
  );
  expect(await entriesOf(mara)).toEqual([
    'Customer waits: CallBack',
    'Pump 4 is on fire: NewInGroup',
    'Outage in Leeds: UpdateOverdue',
    'Valve is hot: LevelBreached, Assigned',
    'Paint the gate: Mentioned, Assigned',
    'Door is open: New',
    'Pump 5 is slow: NewInGroup',
    'Wait for parts: Assigned',
  ]);
  const { value, total, isCut } = await ask(mara);
  expect([total, isCut]).toEqual([8, false]);
  expect(value[0]).toMatchObject({
    tenantId,
    tenantName: 'Northwind',
    unit: { workUnitId: called, assignedTo: tom.actor.userName },
    communication: null,
    reasons: [{ due: expect.any(String), id: expect.any(String) }],
  });
  expect(value[2]).toMatchObject({ unit: null, communication: { title: 'Outage in Leeds' }, reasons: [{ detail: 'customer' }] });
  expect(value[4]?.reasons[0]).toMatchObject({ detail: `Which colour, @${mara.actor.userName}?` });
  // Nobody is told of what somebody else has taken, has snoozed or has ended.
  await change(severe, { assignedTo: tom.actor.userName });
  await change(anybody, { stateId: 'Canceled' });
  await world.call(all, 'POST', '/v1/workunits/snooze', { ids: [late], until: new Date(Date.now() + 60_000).toISOString() });
  await world.call(tom, 'POST', `/v1/callBacks/${value[0]?.reasons[0]?.id}/take`);
  expect((await entriesOf(mara)).map((text) => text.split(':')[0])).toEqual([
    'Outage in Leeds',
    'Paint the gate',
    'Pump 5 is slow',
    'Wait for parts',
  ]);
  expect((await entriesOf(tom))[0]).toBe('Customer waits: Calling, Assigned');
});

it('offers approvals to the approver until they are decided, and nothing that only editors can do to readers', async () => {
  const approver = await person('Ana', { groups: ['Changes'] });
  const plan = {
    workUnitTypeId: 2,
    implementationPlan: 'Swap it.',
    rollbackPlan: 'Swap it back.',
    affectedResources: 'Pump 7',
    environment: 'Production',
    expectedCFSAlerts: 'Pump is silent',
    plannedStartTime: '2027-01-01T08:00:00Z',
    plannedFinishTime: '2027-01-01T09:00:00Z',
    approver1: approver.actor.userName.toUpperCase(),
    isApproverRequired: false,
    resolution: 'None yet.',
    assignedTo: 'somebody@example.com',
  };
  const id = await open('Swap the switch', plan);
  await open('Taken over', { assignedTo: approver.actor.userName });
  await open('For the group', { assignmentGroup: 'Changes' });
  const approval = (await ask(approver)).value.find(({ unit }) => unit?.['workUnitId'] === id);
  expect(approval?.reasons).toMatchObject([{ kind: 'Approval', id: '1', due: expect.stringMatching(/^2027-01-01T08/) }]);
  // Who has named themselves may not decide.
  await rows('update work_unit set approver1_named_by = approver1_id where work_unit_id = $1', id);
  expect(await entriesOf(approver)).not.toContainEqual(expect.stringContaining('Approval'));
  await rows('update work_unit set approver1_named_by = null where work_unit_id = $1', id);
  const reader = { ...holder([tenantId], [view]), actor: approver.actor };
  expect(await entriesOf(reader)).toEqual(['Taken over: Assigned']);
  expect((await world.call(approver, 'POST', `/v1/workunits/${id}/approve/1`, {})).status).toBe(200);
  expect((await entriesOf(approver)).some((text) => text.startsWith('Swap the switch'))).toBe(false);
});

it('offers the manual steps of own units until one has run, and says which step failed', async () => {
  const mara = await person('Mia');
  const protocol = (await world.call(all, 'PUT', '/v1/protocols', { name: `Outage ${crypto.randomUUID()}`, tenantId })).body;
  const step = (more: object) =>
    world.call(all, 'PUT', '/v1/protocolActions', {
      protocolId: protocol['protocolId'],
      workUnitEventTypeId: 1,
      sequence: 1,
      parameters: '{}',
      runAutomatically: false,
      ...more,
    });
  const { actionDefinitionId } = (await world.call(all, 'PUT', '/v1/actionDefinitions', await sampleBody(world, actionDefinitions, home)))
    .body;
  const restart = await step({ actionDefinitionId, summary: 'Restart the pump' });
  expect(restart.status).toBe(201);
  await step({ actionDefinitionId, summary: 'Later', workUnitEventTypeId: 2 });
  await step({ actionDefinitionId, summary: 'In an hour', wait: 3_600 });
  await step({ actionDefinitionId, summary: 'By itself', runAutomatically: true });
  const id = await open('Pump 9 is silent', { assignedTo: mara.actor.userName, protocolId: protocol['protocolId'] });
  const reasons = async () => (await ask(mara)).value.find(({ unit }) => unit?.['workUnitId'] === id)?.reasons ?? [];
  const manual = (await reasons()).filter(({ kind }) => kind === 'Step');
  expect(manual).toMatchObject([{ detail: 'Restart the pump', id: restart.body['protocolActionId'] }]);
  const done = (status: number) =>
    rows(
      'insert into action_history (tenant_id, work_unit_id, protocol_action_id, action_definition_id, message_id, correlation_id, result_status_id) values ($1, $2, $3, $4, uuidv7(), uuidv7(), $5)',
      tenantId,
      id,
      restart.body['protocolActionId'],
      actionDefinitionId,
      status,
    );
  await done(2);
  expect((await reasons()).map(({ kind, detail }) => [kind, detail])).toEqual([
    ['StepFailed', 'Restart the pump'],
    ['Assigned', null],
  ]);
  await done(1);
  expect((await reasons()).map(({ kind }) => kind)).toEqual(['Assigned']);
});

it('gives new units of any group to whoever is on call in the tenant', async () => {
  const { tenantId: plant } = await world.tenant('Plant');
  const [kim, lee] = [await person('Kim', { tenants: [plant, otherId] }), await person('Lee', { tenants: [plant, otherId] })];
  const layers = [
    {
      name: 'First line',
      people: [kim.actor.id, lee.actor.id],
      start: new Date(Date.now() - 3_600_000).toISOString().slice(0, 16),
      unit: 'Weeks',
      every: 1,
      restrictions: [],
      holidays: 'Same',
    },
  ];
  const [schedule] = await rows<{ id: string }>(
    "insert into on_call_schedule (tenant_id, name, time_zone, layers) values ($1, 'Plant', 'UTC', $2::jsonb) returning on_call_schedule_id as id",
    plant,
    JSON.stringify(layers),
  );
  await open('Belt stands', { tenantId: plant, assignmentGroup: 'Belts' });
  await open('Elsewhere', { tenantId: otherId, assignmentGroup: 'Belts' });
  expect(await entriesOf(kim)).toEqual(['Belt stands: NewOnCall']);
  expect(await entriesOf(lee)).toEqual([]);
  await rows(
    "insert into on_call_override (tenant_id, on_call_schedule_id, person_id, starts_at, ends_at) values ($1, $2, $3, now() - interval '1 hour', now() + interval '1 hour')",
    plant,
    schedule?.id,
    lee.actor.id,
  );
  expect([await entriesOf(kim), await entriesOf(lee)]).toEqual([[], ['Belt stands: NewOnCall']]);
});

it('is of one tenant or of all of the caller, for people who may view work units', async () => {
  const { tenantId: a } = await world.tenant('Alder');
  const { tenantId: b } = await world.tenant('Birch');
  const both = await person('Bo', { tenants: [a, b] });
  await open('In Alder', { tenantId: a });
  await open('In Birch', { tenantId: b });
  expect(await entriesOf(both)).toEqual(['In Birch: New', 'In Alder: New']);
  expect(await entriesOf(both, a)).toEqual(['In Alder: New']);
  expect(await entriesOf(both, tenantId)).toEqual([]);
  expect(await entriesOf({ ...holder([b], rights), actor: both.actor })).toEqual(['In Birch: New']);
  const everywhere = await entriesOf({ ...holder('all', rights), actor: both.actor }, b);
  expect(everywhere).toEqual(['In Birch: New']);
  const status = async (caller: TestCaller | null, path = '/v1/workunits/doNow') => (await world.call(caller, 'GET', path)).status;
  expect(await status(null)).toBe(401);
  expect(await status(holder([a], [permission('Devices', 'view')]))).toBe(403);
  const token = { kind: 'token', id: crypto.randomUUID(), name: 'Import', scopes: [] } as const;
  expect(await status({ ...holder([a]), actor: token })).toBe(403);
  expect((await world.call(both, 'GET', '/v1/workunits/doNow?tenantId=x')).body).toMatchObject({
    error: { details: [{ target: 'tenantId' }] },
  });
});

it('answers the first entries and counts the others', async () => {
  const { tenantId: busy } = await world.tenant('Busy');
  const one = await person('One', { tenants: [busy] });
  await rows(
    "insert into work_unit (tenant_id, title, severity_id, work_unit_type_id, created_by, modified_by) select $1, 'Unit ' || n, 'Sev2', 1, 'x', 'x' from generate_series(1, 1200) n",
    busy,
  );
  const { value, total, isCut } = await ask(one);
  expect([value.length, total, isCut]).toEqual([maxDoNow, 1_000, true]);
});

interface StoredUnit {
  at: number;
  tenant: string;
  title: string;
  state: (typeof workUnitStates)[number];
  severity: (typeof severities)[number];
  assignee: string | null;
  group: string | null;
  isSnoozed: boolean;
  warnsIn: number | null;
  dueIn: number | null;
  approver: string | null;
  call: 'none' | 'open' | 'mine' | 'others';
  isMentioned: boolean;
}

it('equals a slow model for any units of two tenants', async () => {
  const groups = ['Pumps', 'Night desk'];
  const colleague = 'colleague@example.com';
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          home: fc.constantFrom(0, 1, 2),
          state: fc.constantFrom(...workUnitStates),
          severity: fc.constantFrom(...severities),
          assignee: fc.constantFrom('me', colleague, null, null),
          group: fc.constantFrom('Pumps', 'Others', null),
          isSnoozed: fc.constantFrom(true, false, false, false),
          clock: fc.constantFrom([-3, -1], [-1, 2], [2, 4], null),
          approver: fc.constantFrom('me', colleague, null),
          call: fc.constantFrom('none', 'none', 'open', 'mine', 'others'),
          isMentioned: fc.boolean(),
        }),
        { maxLength: 30 },
      ),
      async (specimens) => {
        const { tenantId: first } = await world.tenant();
        const { tenantId: second } = await world.tenant();
        const { tenantId: third } = await world.tenant();
        const me = await person('Model', { tenants: [first, second], groups });
        // In the second tenant, the person only reads.
        const caller: Person = {
          ...me,
          permissions: new Map([
            [first, new Set(rights)],
            [second, new Set([view])],
          ]),
        };
        const units: StoredUnit[] = [];
        const base = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
        for (const [index, one] of specimens.entries()) {
          const tenant = [first, second, third][one.home] ?? third;
          const name = (of: string | null) => (of === 'me' ? me.actor.userName : of);
          const [row] = await rows<{ id: number }>(
            `insert into work_unit (tenant_id, title, state_id, severity_id, assigned_to, assignment_group, snoozed_until, clock_warn, clock_due, approver1, work_unit_type_id, created, created_by, modified_by)
              values ($1, $2, $3, $4, $5, $6, case when $7 then now() + interval '1 hour' end, $13::timestamptz + make_interval(hours => $8), $13::timestamptz + make_interval(hours => $9), $10, $11, $13::timestamptz - make_interval(mins => $12), 'x', 'x') returning work_unit_id as id`,
            tenant,
            `Unit ${index}`,
            one.state,
            one.severity,
            name(one.assignee),
            one.group,
            one.isSnoozed,
            one.clock?.[0] ?? null,
            one.clock?.[1] ?? null,
            name(one.approver),
            one.approver === null ? 1 : 2,
            index % 3,
            base,
          );
          const id = row?.id ?? 0;
          units.push({ ...one, at: index, tenant, title: `Unit ${index}`, warnsIn: one.clock?.[0] ?? null, dueIn: one.clock?.[1] ?? null });
          if (one.call !== 'none')
            await rows(
              "insert into call_back (tenant_id, work_unit_id, requested_by, due, taken_by) values ($1, $2, 'x', $5::timestamptz + make_interval(mins => $3), $4)",
              tenant,
              id,
              index,
              one.call === 'mine' ? me.actor.userName : one.call === 'others' ? colleague : null,
              base,
            );
          if (one.isMentioned)
            await rows(
              "insert into inbox_item (tenant_id, person_id, work_unit_id, kind, cause, created_by) values ($1, $2, $3, 'Mentioned', 'note 1', 'x')",
              tenant,
              me.actor.id,
              id,
            );
        }
        expect(await entriesOf(caller)).toEqual(model(units, first, second).slice(0, maxDoNow));
        expect(await entriesOf(caller, second)).toEqual(
          model(
            units.filter(({ tenant }) => tenant === second),
            first,
            second,
          ),
        );
      },
    ),
    { numRuns: runs(15, 60) },
  );

  function model(units: readonly StoredUnit[], first: string, second: string): string[] {
    const entries = units.flatMap((unit) => {
      const { at } = unit;
      const mayEdit = unit.tenant === first;
      if (!mayEdit && unit.tenant !== second) return [];
      const isOpen = openStates.includes(unit.state) && !unit.isSnoozed;
      const expected: { kind: DoNowReason; band: number; clock: number }[] = [];
      const add = (kind: DoNowReason, band: number, clock = Number.POSITIVE_INFINITY) => expected.push({ kind, band, clock });
      const isOwn =
        isOpen &&
        (unit.assignee === 'me' ||
          (mayEdit && unit.assignee === null && (unit.group === 'Pumps' || (unit.group === null && unit.state === 'New'))));
      const severe = unit.severity === 'Sev0' || unit.severity === 'Sev1';
      const band = (otherwise: number) => (unit.state === 'OnHold' ? 6 : severe ? 1 : otherwise);
      if (isOwn)
        if (unit.assignee === 'me') add('Assigned', band(5));
        else if (unit.group === 'Pumps') add(unit.state === 'New' ? 'NewInGroup' : 'InGroup', band(unit.state === 'New' ? 4 : 5));
        else add('New', band(4));
      if (isOwn && unit.warnsIn !== null && unit.warnsIn < 0)
        add((unit.dueIn ?? 0) < 0 ? 'LevelBreached' : 'LevelDue', 2, (unit.dueIn ?? 0) * 60);
      if (mayEdit && unit.call === 'open') add('CallBack', 0, at);
      if (mayEdit && unit.call === 'mine') add('Calling', 0, at);
      if (mayEdit && isOpen && unit.approver === 'me') add('Approval', 3);
      if (unit.isMentioned) add('Mentioned', 3);
      const [best] = expected.toSorted((a, b) => a.band - b.band || a.clock - b.clock);
      // Approvals and mentions of a unit have no clock here, so the older cause comes first: the unit is older than the note.
      const kinds = expected.toSorted((a, b) => a.band - b.band).map(({ kind }) => kind);
      return best ? [{ unit, at, best, text: `${unit.title}: ${kinds.join(', ')}` }] : [];
    });
    const inOrder = entries.toSorted(
      (a, b) =>
        a.best.band - b.best.band ||
        (a.best.clock === b.best.clock ? 0 : a.best.clock - b.best.clock) ||
        a.unit.severity.localeCompare(b.unit.severity) ||
        (a.at % 3) - (b.at % 3) ||
        a.at - b.at,
    );
    return inOrder.map(({ text }) => text);
  }
});
