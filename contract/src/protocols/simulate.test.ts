import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInAction, eventOfState, type WorkUnitState } from '../enums.ts';
import { simulate, simulation, type SimulatedAction, type SimulationInput } from './simulate.ts';

const email = { actionDefinitionId: builtInAction.email, name: 'Email', actionDefinitionTypeId: 1, endpointUrl: null };
const action = (id: string, event: number, change: Partial<SimulatedAction> = {}): SimulatedAction => ({
  protocolActionId: id,
  workUnitEventTypeId: event,
  sequence: 0,
  summary: null,
  runAutomatically: true,
  repeatable: false,
  parameters: '{"To":"desk@example.com"}',
  definition: email,
  wait: null,
  repeatEvery: null,
  repeatTimes: null,
  stopWhen: 'Acknowledged',
  onlyStates: [],
  onlySeverities: [],
  hours: 'Any',
  hoursScheduleId: null,
  ...change,
});
const course = (change: Partial<SimulationInput>): SimulationInput => ({
  protocol: { timerInverval: '00:10:00' },
  actions: [],
  severityId: 'Sev1',
  start: '2026-05-01T08:00:00Z',
  states: [],
  tenant: { name: 'Acme', internalNotificationEmailAddress: null },
  schedules: [],
  people: new Map(),
  ...change,
});
const times = (input: SimulationInput) =>
  simulate(input)
    .timeline.filter((moment) => moment.runs.length + moment.waits.length > 0)
    .map(
      (moment) =>
        `${moment.at.slice(11, 16)} ${moment.event} ${[...moment.runs, ...moment.waits].map((step) => step.protocolActionId).join(',')}`,
    );

describe('the simulation of a protocol', () => {
  it('runs steps by sequence, timers while the unit is open, and knows what waits', () => {
    const actions = [
      action('late', 1, { sequence: 2 }),
      action('early', 1, { sequence: 1 }),
      action('ask', 2, { runAutomatically: false }),
      action('remind', 7),
      action('done', 4),
    ];
    const states = [
      { stateId: 'Acknowledged', at: '2026-05-01T08:25:00Z' },
      { stateId: 'Resolved', at: '2026-05-01T08:40:00Z' },
      { stateId: 'Acknowledged', at: '2026-05-01T09:00:00Z' },
      { stateId: 'Closed', at: '2026-05-01T09:15:00Z' },
    ] as const;
    expect(times(course({ actions, states }))).toEqual([
      '08:00 OnNew early,late',
      '08:10 OnTimer remind',
      '08:20 OnTimer remind',
      '08:25 OnAcknowledged ask',
      '08:30 OnTimer remind',
      '08:40 OnResolved done',
      '09:10 OnTimer remind',
    ]);
    expect(simulate(course({ actions, states })).more).toBe(false);
    expect(simulate(course({ actions })).more).toBe(true);
  });

  it('says what can never be reached, and what this course does not reach', () => {
    const actions = [
      action('gone', 1, { definition: null }),
      action('rule', 1, { definition: { ...email, actionDefinitionId: 'x', actionDefinitionTypeId: 3 } }),
      action('manual timer', 7, { runAutomatically: false }),
      action('nonsense', 1, { parameters: '{"Template":"Nonsense"}' }),
      action('hold', 3),
      action('change', 8),
    ];
    const { unreachable, timeline } = simulate(course({ actions }));
    expect(unreachable.map((action) => [action.protocolActionId, action.never])).toEqual([
      ['gone', true],
      ['rule', true],
      ['manual timer', true],
      ['nonsense', true],
      ['hold', false],
      ['change', false],
    ]);
    expect(timeline.flatMap((moment) => moment.runs)).toEqual([]);
  });

  it('says when nobody has acknowledged, when the steps begin again, and when an acknowledgement runs out', () => {
    const actions = [action('page', 1), action('again', 1, { wait: '00:10:00' }), action('boss', 11)];
    const protocol = { timerInverval: '10:00:00', unansweredAfter: '00:05:00', repeatEvery: '00:20:00', acknowledgedFor: '01:00:00' };
    const states: SimulationInput['states'] = [{ stateId: 'Acknowledged', at: '2026-05-01T09:00:00Z' }];
    const { timeline } = simulate({ ...course({ actions, states }), protocol });
    const ran = timeline.flatMap(({ at, event, runs }) => runs.map((run) => `${at.slice(11, 16)} ${event} ${run.protocolActionId}`));
    expect(ran.slice(0, 9)).toEqual([
      '08:00 OnNew page',
      '08:10 OnNew again',
      '08:15 OnUnanswered boss',
      '08:30 OnNew page',
      '08:40 OnNew again',
      '10:00 OnNew page',
      '10:10 OnNew again',
      '10:15 OnUnanswered boss',
      '10:30 OnNew page',
    ]);
    const never = simulate({ ...course({ actions: [action('by hand', 11, { runAutomatically: false })] }), protocol });
    expect(never.unreachable).toMatchObject([{ protocolActionId: 'by hand', never: true }]);
  });

  it('says who has no address', () => {
    const actions = [
      action('nobody', 1, { parameters: '{}' }),
      action('somebody', 1),
      action('perhaps', 1, { parameters: '{"To":"{StakeHolderEmailAddress}"}' }),
      action('call', 1, { definition: { actionDefinitionId: 'y', name: 'Hook', actionDefinitionTypeId: 2, endpointUrl: null } }),
    ];
    expect(simulate(course({ actions })).withoutAddress.map((action) => action.protocolActionId)).toEqual(['nobody', 'perhaps', 'call']);
    const tenant = { name: 'Acme', internalNotificationEmailAddress: 'ops@example.com' };
    const withTenant = simulate(course({ actions, tenant }));
    expect(withTenant.withoutAddress.map((action) => action.protocolActionId)).toEqual(['perhaps', 'call']);
    expect(withTenant.timeline[0]?.runs.map((step) => step.to)).toEqual([
      'ops@example.com',
      'desk@example.com',
      '{StakeHolderEmailAddress}',
      null,
    ]);
  });

  it.each([
    [[{ stateId: 'Resolved', at: '2026-05-01T09:00:00Z' }], 'states[0].stateId'],
    [[{ stateId: 'Acknowledged', at: '2026-05-01T07:00:00Z' }], 'states[0].at'],
  ] as const)('refuses the course %j', (states, target) => {
    expect(() => simulate(course({ states }))).toThrow(expect.objectContaining({ target }) as Error);
  });

  it('holds for any course: in order, each step at its own event, timers at open states alone', () => {
    // Excludes New, which only some states may return to; another test covers the refusals.
    const states = (Object.keys(eventOfState) as WorkUnitState[]).filter((state) => state !== 'New');
    fc.assert(
      fc.property(
        fc.array(fc.record({ stateId: fc.constantFrom(...states), after: fc.integer({ min: 0, max: 90 }) }), { maxLength: 8 }),
        fc.array(fc.record({ event: fc.integer({ min: 1, max: 10 }), auto: fc.boolean(), sequence: fc.integer({ min: 0, max: 3 }) }), {
          maxLength: 8,
        }),
        (walk, steps) => {
          let at = Date.parse('2026-05-01T08:00:00Z');
          const transitions = [{ stateId: 'Acknowledged' as WorkUnitState, after: 5 }, ...walk].map(({ stateId, after }) => {
            at += after * 60_000;
            return { stateId, at: new Date(at).toISOString() };
          });
          const actions = steps.map(({ event, auto, sequence }, index) =>
            action(String(index), event, { runAutomatically: auto, sequence }),
          );
          const result = simulation.parse(simulate(course({ actions, states: transitions })));
          expect(result.timeline.map((moment) => moment.at)).toEqual(result.timeline.map((moment) => moment.at).toSorted());
          for (const moment of result.timeline) {
            if (moment.event === 'OnTimer') expect(['New', 'Acknowledged', 'InProgress', 'OnHold']).toContain(moment.stateId);
            const order = moment.runs.map((step) => step.sequence);
            expect(order).toEqual(order.toSorted((a, b) => a - b));
          }
          const shown = new Set(
            result.timeline.flatMap((moment) => [...moment.runs, ...moment.waits].map((step) => step.protocolActionId)),
          );
          const hidden = new Set(result.unreachable.map((step) => step.protocolActionId));
          for (const { protocolActionId } of actions) expect(shown.has(protocolActionId)).not.toBe(hidden.has(protocolActionId));
        },
      ),
    );
  });
});

describe('the simulation of steps that wait', () => {
  const notify = { actionDefinitionId: builtInAction.notify, name: 'Notify', actionDefinitionTypeId: 5, endpointUrl: null };
  const kim = '01a1fcdb-e331-70c1-ba47-000000000001';
  const lee = '01a1fcdb-e331-70c1-ba47-000000000002';
  const plant = {
    onCallScheduleId: '01a1fcdb-e331-70c1-ba47-000000000009',
    name: 'Plant',
    timeZone: 'Europe/Berlin',
    holidays: ['2026-05-01'],
    overrides: [],
    layers: [
      {
        name: 'Day',
        people: [kim, lee],
        start: '2026-04-30T10:00',
        unit: 'Hours' as const,
        every: 1,
        restrictions: [{ days: [5], from: '08:00', to: '11:00' }],
        holidays: 'Same' as const,
      },
    ],
  };
  const people = new Map([
    [kim, { name: 'Kim', problem: null }],
    [lee, { name: 'Lee', problem: 'The person has no email address.' }],
  ]);
  const onCall = (id: string, change: Partial<SimulatedAction>) =>
    action(id, 1, { definition: notify, parameters: JSON.stringify({ Whom: 'Schedule', ScheduleId: plant.onCallScheduleId }), ...change });
  const all = { schedules: [plant], people };

  it('says whom they tell at each time, until somebody acknowledges', () => {
    const actions = [
      onCall('first', { wait: '00:00:00' }),
      onCall('again', { wait: '00:15:00', repeatEvery: '00:30:00', repeatTimes: 5 }),
      action('boss', 1, { wait: '04:00:00' }),
    ];
    const states = [{ stateId: 'Acknowledged', at: '2026-05-01T09:00:00Z' }] as const;
    const result = simulate(course({ ...all, actions, states }));
    // 08:00Z is 10:00 in Berlin; the hours of the layer end at 11:00.
    expect(
      result.timeline
        .filter((moment) => moment.runs.length > 0)
        .map((moment) => [moment.at.slice(11, 16), moment.after, moment.runs[0]?.to]),
    ).toEqual([
      ['08:00', '00:00:00', 'Kim (on call: Plant)'],
      ['08:15', '00:15:00', 'Kim (on call: Plant)'],
      ['08:45', '00:45:00', 'Kim (on call: Plant)'],
    ]);
    expect(result.ended.map((action) => [action.protocolActionId, action.at.slice(11, 16), action.reason])).toEqual([
      ['again', '09:00', 'the work unit is Acknowledged'],
      ['boss', '09:00', 'the work unit is Acknowledged'],
    ]);
    expect(result.unreachable).toMatchObject([{ protocolActionId: 'boss', never: false }]);
    expect(simulation.parse(result)).toEqual(result);
  });

  it('says when nobody is on call or can be reached, and which conditions do not hold', () => {
    const actions = [
      onCall('night', { wait: '03:00:00' }),
      action('sev0', 1, { onlySeverities: ['Sev0'] }),
      action('covered', 1, { hours: 'Covered', hoursScheduleId: plant.onCallScheduleId }),
      action('uncovered', 1, { hours: 'NotCovered', hoursScheduleId: plant.onCallScheduleId }),
    ];
    const result = simulate(course({ ...all, actions }));
    expect(result.withoutAddress.map((action) => [action.protocolActionId, action.reason])).toEqual([
      ['night', 'Nobody is on call in Plant at 2026-05-01T11:00:00.000Z.'],
    ]);
    expect(result.timeline[0]?.runs.map((step) => step.protocolActionId)).toEqual(['covered']);
    expect(result.timeline[0]?.skipped.map((step) => [step.protocolActionId, step.reason])).toEqual([
      ['sev0', 'it is for Sev0, and the work unit is Sev1'],
      ['uncovered', 'somebody of its schedule is on call now'],
    ]);
    const later = simulate(course({ ...all, actions: [onCall('lee', { wait: '00:30:00' })], start: '2026-05-08T07:00:00Z' }));
    expect(later.timeline.flatMap((moment) => moment.runs).map((step) => step.to)).toEqual([expect.stringMatching(/\(on call: Plant\)$/)]);
  });
});
