/**
 * The shifts of a converted schedule are those of the other product for a whole year: compared every quarter of an hour with
 * slow models, which ask of one instant who is on call there, by the words of that product's documentation.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { finalShifts, type FinalShift, type Layer } from '@cloudfit/contract/on-call/shifts.ts';
import type { MovingOutcome } from '@cloudfit/contract/configuration/moving.ts';
import { convertFiles } from './convert.ts';
import { onCallInOnCall, onCallInOpsgenie, onCallInPagerDuty, type Raw } from './testing/models.ts';

const tenantId = '0197f000-0000-7000-8000-0000000000aa';
const yearStart = Date.parse('2026-01-15T00:00:00Z');
const yearEnd = Date.parse('2027-01-15T00:00:00Z');
const sample = (name: string): string => readFileSync(new URL(`samples/${name}.json`, import.meta.url), 'utf8');
const convert = (text: string): MovingOutcome => convertFiles([{ name: 'answers.json', text }], tenantId, yearStart);

/** Who is on call in any of the schedules with this name, by email. */
function peopleOf(outcome: MovingOutcome, name: string): (at: number) => string {
  const emails = new Map(outcome.document.names?.['people']?.map((person) => [person.key, person.name.toLowerCase()]));
  const rows = outcome.document.rows['onCallSchedules'] ?? [];
  const schedules = rows.filter((row) => String(row['name']).replace(/ \(\d\)$/, '') === name);
  expect(schedules.length).toBeGreaterThan(0);
  const lines = schedules.map((row): FinalShift[] => {
    const overrides = (outcome.document.rows['onCallOverrides'] ?? []).filter(
      (entry) => entry['onCallScheduleId'] === row['onCallScheduleId'],
    );
    return finalShifts(
      { timeZone: String(row['timeZone']), holidays: [], layers: row['layers'] as Layer[] },
      overrides.map((entry) => ({
        personId: String(entry['personId']),
        from: Date.parse(String(entry['startsAt'])),
        to: Date.parse(String(entry['endsAt'])),
      })),
      yearStart,
      yearEnd,
    );
  });
  const places = lines.map(() => 0);
  return (at) => {
    const people = lines.flatMap((line, index) => {
      let place = places[index] ?? 0;
      while ((line[place]?.to ?? Number.POSITIVE_INFINITY) <= at) place += 1;
      places[index] = place;
      const shift = line[place];
      return shift && shift.from <= at ? [emails.get(shift.personId) ?? shift.personId] : [];
    });
    return [...new Set(people)].toSorted().join(' ');
  };
}

/** Compares the year; returns how many different sets of people there were, so that an empty model is noticed. */
function compareYear(outcome: MovingOutcome, name: string, model: (at: number) => string[]): number {
  const here = peopleOf(outcome, name);
  const kinds = new Set<string>();
  for (let at = yearStart; at < yearEnd; at += 900_000) {
    const there = [...new Set(model(at).map((email) => email.toLowerCase()))].toSorted().join(' ');
    const now = here(at);
    if (now !== there) expect([new Date(at).toISOString(), now]).toEqual([new Date(at).toISOString(), there]);
    kinds.add(there);
  }
  return kinds.size;
}

/** What has no counterpart; most files of these tests are only a part of what a product has. */
const withoutOf = (outcome: MovingOutcome) => outcome.without.filter(({ reason }) => reason !== 'missing-answer');
const reasons = (outcome: MovingOutcome) =>
  withoutOf(outcome).map(({ name, reason, detail }) => `${name}: ${reason}${detail && ` ${detail}`}`);
const stepsOf = (outcome: MovingOutcome) =>
  (outcome.document.rows['protocolActions'] ?? []).map((step) => [
    step['summary'],
    step['wait'],
    step['stopWhen'],
    step['repeatEvery'],
    step['repeatTimes'],
  ]);

describe('Opsgenie', () => {
  const outcome = convert(sample('opsgenie'));

  it('has the shifts of all rotations at once, with their hours, turns of nobody, an end and an override of one rotation', () => {
    expect(outcome.counts).toEqual([
      { kind: 'schedules', count: 2 },
      { kind: 'escalations', count: 1 },
      { kind: 'users', count: 3 },
      { kind: 'integrations', count: 1 },
    ]);
    expect(compareYear(outcome, 'Ops', onCallInOpsgenie(sample('opsgenie'), 's-ops'))).toBeGreaterThan(5);
    // Days and nights never overlap, so they share a schedule; the rotation around the clock has its own.
    expect(outcome.document.rows['onCallSchedules']?.map(({ name }) => name)).toEqual(['Ops (1)', 'Ops (2)']);
  });

  it('notifies as its escalation does, and lists what has no counterpart', () => {
    expect(stepsOf(outcome)).toEqual([
      ['Ops (1)', '00:00:00', 'Acknowledged', '00:25:00', 3],
      ['Ops (2)', '00:00:00', 'Acknowledged', '00:25:00', 3],
      ['Cem@Example.com', '00:15:00', 'Resolved', '00:25:00', 3],
    ]);
    expect(reasons(outcome)).toEqual([
      'Schedule Ops / Team: team-turn team ops_team',
      'Schedule Ops: hour-turns Around the clock',
      'Schedule Old: disabled',
      'Escalation Ops escalation: notify-type next: Ops',
      'Escalation Ops escalation: step-recipient team ops_team',
      'Escalation Ops escalation: close-after',
      'Integration Prometheus: add-source Prometheus',
    ]);
  });

  it('says from when on its computed timeline differs', () => {
    const raw = JSON.parse(sample('opsgenie')) as Raw;
    const model = onCallInOpsgenie(sample('opsgenie'), 's-ops');
    const [from, to] = [Date.parse('2026-03-02T00:00:00Z'), Date.parse('2026-03-16T00:00:00Z')];
    const periods: object[] = [];
    for (let at = from; at < to; at += 900_000)
      for (const username of model(at))
        periods.push({
          startDate: new Date(at).toISOString(),
          endDate: new Date(at + 900_000).toISOString(),
          type: 'default',
          recipient: { type: 'user', username },
        });
    const timeline = (some: object[]) => ({
      ...raw,
      '/v2/schedules/s-ops/timeline?interval=2': {
        data: {
          _parent: { id: 's-ops', name: 'Ops', enabled: true },
          startDate: new Date(from).toISOString(),
          endDate: new Date(to).toISOString(),
          finalTimeline: { rotations: [{ id: 'r', name: 'all', order: 1, periods: some }] },
        },
      },
    });
    expect(reasons(convert(JSON.stringify(timeline(periods)))).filter((text) => text.includes('differs'))).toEqual([]);
    const all = periods as { startDate: string }[];
    const alone = all.findIndex(({ startDate }, index) => index > 700 && all.filter((entry) => entry.startDate === startDate).length === 1);
    const cut = all.filter((_, index) => index !== alone);
    const missing = all[alone]?.startDate;
    expect(reasons(convert(JSON.stringify(timeline(cut)))).filter((text) => text.includes('differs'))).toEqual([
      `Schedule Ops: differs ${missing}`,
    ]);
  });
});

describe('PagerDuty', () => {
  const outcome = convert(sample('pagerduty'));

  it('has the shifts of the highest layer, with hours past midnight, a layer that begins amid a turn, and an override', () => {
    expect(compareYear(outcome, 'Web', onCallInPagerDuty(sample('pagerduty'), 'PSCHED1'))).toBe(4);
  });

  it('adds up the delays of a policy, repeats it, and lists its services', () => {
    expect(stepsOf(outcome)).toEqual([
      ['Web', '00:00:00', 'Acknowledged', '01:00:00', 2],
      ['ann@example.com', '00:30:00', 'Acknowledged', '01:00:00', 2],
      ['bob@example.com', '00:30:00', 'Acknowledged', '01:00:00', 2],
    ]);
    expect(reasons(outcome)).toEqual([
      'Escalation policy Web policy: round-robin',
      'Service Shop: by-service Web policy',
      'Integration Prometheus: add-source events_api_v2',
    ]);
  });
});

describe('Grafana OnCall', () => {
  const outcome = convert(sample('oncall'));

  it('has everybody of the highest level, with groups, chosen days, intervals and single events', () => {
    expect(compareYear(outcome, 'Calendar', onCallInOnCall(sample('oncall'), 'SCAL'))).toBeGreaterThan(4);
    expect(compareYear(outcome, 'Web', onCallInOnCall(sample('oncall'), 'SWEB'))).toBe(4);
  });

  it('adds up the waits of a chain, and lists what has no counterpart', () => {
    expect(stepsOf(outcome).map(([summary, wait, , every, times]) => [summary, wait, every, times])).toEqual([
      ['Calendar (1)', '00:00:00', '00:05:00', 5],
      ['Calendar (2)', '00:00:00', '00:05:00', 5],
      ['ann@example.com', '00:05:00', '00:05:00', 5],
    ]);
    expect(reasons(outcome)).toEqual([
      'Schedule Calendar / First of the month: monthly monthly',
      'Schedule From a calendar: ical ical_url_primary',
      'Escalation chain default: important notify_persons',
      'Escalation chain default: step-kind trigger_webhook',
      'Integration Grafana: add-source grafana',
      'Route Grafana us-(east|west): by-route default',
    ]);
  });
});

describe('files', () => {
  it('may come one by one, in pages, with a byte order mark', () => {
    const parts = Object.entries(JSON.parse(sample('pagerduty')) as Raw).filter(([key]) => key !== 'cloudfit');
    const files = parts.map(([address, answer]) => ({
      name: address.includes('overrides') ? 'overrides-PSCHED1.json' : `${address.replaceAll(/\W/g, '')}.json`,
      text: `\uFEFF${JSON.stringify(answer)}`,
    }));
    const together = convert(sample('pagerduty'));
    expect(convertFiles([...files, ...files], tenantId, yearStart)).toEqual(together);
  });

  it.each([
    ['violet', 'answers.json is not JSON.'],
    ['['.repeat(100_000), 'answers.json is not JSON.'],
    [
      '{"data": [{"id": 1}]}',
      'These files are neither a configuration nor answers of Opsgenie, PagerDuty, Grafana OnCall or Zammad, nor an export of Zabbix',
    ],
    ['[]', 'These files are neither a configuration nor answers'],
    ['['.repeat(50_000) + ']'.repeat(50_000), 'These files are neither a configuration nor answers'],
    [`[${sample('opsgenie')}, ${sample('pagerduty')}]`, 'These files are of Opsgenie and of PagerDuty.'],
  ])('are refused: %.40s', (text, message) => {
    expect(() => convert(text)).toThrow(message);
  });

  it('with times and numbers beyond all bounds end at once', () => {
    const rotations = ['A', 'B'].map((name) => ({
      id: name,
      name,
      type: 'hourly',
      length: 1,
      startDate: '2000-01-01T00:00:00Z',
      participants: ['ann', 'bob'].map((username) => ({ type: 'user', username })),
    }));
    const override = { alias: 'x', _parent: { id: 's' }, user: { type: 'user', username: 'cem' }, startDate: '2026-01-01T00:00:00Z' };
    const opsgenie = convert(
      JSON.stringify([
        { id: 's', name: 'S', timezone: 'Europe/Berlin', rotations },
        { ...override, endDate: '9999-12-01T00:00:00Z', rotations: [{ id: 'A' }] },
        { _parent: { id: 's' }, startDate: '2026-01-01T00:00:00Z', endDate: '9999-01-01T00:00:00Z', finalTimeline: { rotations: [] } },
      ]),
    );
    expect(withoutOf(opsgenie).map(({ reason }) => reason)).toEqual(['long-override', 'hour-turns', 'differs']);
    const shift = {
      id: 'o',
      name: 'O',
      type: 'rolling_users',
      start: '2026-01-01T00:00:00',
      duration: 3_600,
      rolling_users: [['ann'], ['bob']],
    };
    const reasonOf = (change: object) => {
      const schedule = { id: 's', name: 'S', team_id: null, type: 'calendar', time_zone: 'UTC', shifts: ['o'] };
      return withoutOf(convert(JSON.stringify([schedule, { ...shift, ...change }]))).map(({ reason }) => reason);
    };
    expect(reasonOf({ frequency: 'daily', interval: 1e9 })).toEqual(['too-many-turns']);
    expect(reasonOf({ frequency: 'weekly', interval: 1e9, by_day: ['MO', 'TU'] })).toEqual(['too-many-turns']);
    expect(reasonOf({ frequency: 'hourly', interval: 1e6, duration: 3_600 * 7 })).toEqual(['too-many-turns']);
    expect(reasonOf({ type: 'single_event', users: ['ann'], duration: 6e13 })).toEqual(['unreadable-time']);
    expect(reasonOf({ frequency: 'yearly' })).toEqual(['monthly']);
  });

  it('with odd values are converted or reported, and never end in an error', () => {
    const schedule = (rotation: object) =>
      JSON.stringify({
        data: [{ id: 's', name: 'Odd', timezone: 'Europe/Berlin', enabled: true, rotations: [{ name: 'R', ...rotation }] }],
      });
    const good = {
      type: 'daily',
      length: 1,
      startDate: '2026-01-01T00:00:00Z',
      participants: [{ type: 'user', username: 'ann@example.com' }],
    };
    const reasonOf = (change: object) => withoutOf(convert(schedule({ ...good, ...change }))).map(({ reason }) => reason);
    expect(reasonOf({})).toEqual([]);
    const allDay = { type: 'time-of-day', restriction: { startHour: 8, startMin: 0, endHour: 8, endMin: 0 } };
    const [whole] = convert(schedule({ ...good, timeRestriction: allDay })).document.rows['onCallSchedules'] ?? [];
    expect(whole?.['layers']).toMatchObject([{ restrictions: [] }]);
    expect(reasonOf({ startDate: 'soon' })).toEqual(['unreadable-time']);
    expect(reasonOf({ startDate: '2026-01-01T00:00:07Z' })).toEqual(['seconds']);
    expect(reasonOf({ type: 'fortnightly' })).toEqual(['odd-length']);
    expect(reasonOf({ participants: null })).toEqual(['no-people']);
    expect(reasonOf({ endDate: '2026-01-02T00:00:00Z' })).toEqual(['ended']);
    expect(reasonOf({ participants: Array.from({ length: 101 }, () => good.participants[0]) })).toEqual(['too-many-turns']);
    expect(withoutOf(convert(schedule(good).replace('Europe/Berlin', 'Europe/Norway')))).toMatchObject([{ reason: 'unreadable-zone' }]);
  });

  it('that are half of what there is, or no answers, say what is missing', () => {
    const steps = JSON.stringify([{ id: 'e', escalation_chain_id: 'c', position: 0, type: 'wait', duration: 60 }]);
    expect(convert(steps).without.map(({ reason, detail }) => `${reason} ${detail}`)).toEqual(
      ['users', 'schedules', 'on_call_shifts', 'escalation_chains'].map((what) => `missing-answer ${what}`),
    );
    const refusal = { name: 'users.json', text: '{"message": "Could not authenticate", "took": 0}' };
    const all = convertFiles([refusal, { name: 'none.json', text: '{"data": []}' }, { name: 'steps.json', text: steps }], tenantId, 0);
    expect(reasons(all)).toEqual(['users.json: unread-file Could not authenticate']);
    expect(() => convertFiles([refusal], tenantId, 0)).toThrow('users.json is what the API answers to a call that it refuses: Could not');
  });
});
