/** On-call schedules over HTTP: who is on call, overrides, warnings, and the calendar feed. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Layer } from '@cloudfit/contract/on-call/shifts.ts';
import { personIn } from '../../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: TestCaller;
let kim: string;
let lee: string;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  ({ tenantId: otherId } = await world.tenant());
  me = holder([tenantId]);
  kim = await personIn(world, tenantId, 'Kim Berg');
  lee = await personIn(world, tenantId, 'Lee; Stein, Ada');
});
afterAll(() => world.close());

const layer = (change: Partial<Layer> = {}): Layer => ({
  name: 'First line',
  people: [kim, lee],
  start: '2026-01-05T09:00',
  unit: 'Weeks',
  every: 1,
  restrictions: [],
  holidays: 'Same',
  ...change,
});
const add = (body: object, caller = me) =>
  world.call(caller, 'PUT', '/v1/onCallSchedules', { name: `Plant ${crypto.randomUUID()}`, tenantId, timeZone: 'Europe/Berlin', ...body });
const created = async (body: object): Promise<string> => {
  const answer = await add(body);
  expect(answer.body['error']).toBeUndefined();
  return String(answer.body['onCallScheduleId']);
};

interface Shifts {
  now: { name: string } | null;
  next: { name: string } | null;
  final: { from: string; to: string; name: string; layer: number | null }[];
  gaps: { from: string; to: string }[];
  unreachable: { name: string; reason: string }[];
  withoutTurns: { personId: string; name: string; layer: string }[];
}
const shiftsOf = async (id: string, query = ''): Promise<Shifts> => {
  const answer = await world.call(me, 'GET', `/v1/onCallSchedules/${id}/shifts${query}`);
  expect(answer.status).toBe(200);
  return answer.body as unknown as Shifts;
};

describe('an on-call schedule', () => {
  it('shows its overrides to whoever sees it, who changes none', async () => {
    const onCallScheduleId = await created({ layers: [layer()] });
    const times = { startsAt: '2026-01-06T08:00:00Z', endsAt: '2026-01-06T20:00:00Z' };
    const override = { onCallScheduleId, personId: lee, reason: 'Dentist', ...times };
    expect((await world.call(me, 'PUT', '/v1/onCallOverrides', override)).status).toBe(201);
    const reader = holder([tenantId], ['CloudFit.CFS.OnCall:view']);
    const listed = await world.call(
      reader,
      'GET',
      `/v1/onCallOverrides?$filter=onCallScheduleId%20eq%20${onCallScheduleId}&$select=reason`,
    );
    expect(listed.body).toMatchObject({ value: [{ reason: 'Dentist' }] });
    const expanded = await world.call(reader, 'GET', `/v1/onCallSchedules(${onCallScheduleId})?$expand=overrides`);
    expect(expanded.body['overrides']).toMatchObject([{ reason: 'Dentist' }]);
    expect((await world.call(reader, 'PUT', '/v1/onCallOverrides', override)).status).toBe(403);
    expect((await world.call(holder([otherId]), 'GET', '/v1/onCallOverrides')).body.value).toEqual([]);
  });

  it('answers its line with the override before the layers, and who is on call now and next', async () => {
    const id = await created({ layers: [layer()] });
    const body = {
      onCallScheduleId: id,
      personId: lee,
      startsAt: '2026-01-06T08:00:00Z',
      endsAt: '2026-01-06T20:00:00Z',
      reason: 'Dentist',
    };
    expect((await world.call(me, 'PUT', '/v1/onCallOverrides', body)).status).toBe(201);
    const { final, gaps } = await shiftsOf(id, '?from=2026-01-05T00:00:00Z&days=14');
    expect(final.map((named) => [named.from.slice(5, 16), named.name, named.layer])).toEqual([
      ['01-05T08:00', 'Kim Berg', 0],
      ['01-06T08:00', 'Lee; Stein, Ada', null],
      ['01-06T20:00', 'Kim Berg', 0],
      ['01-12T08:00', 'Lee; Stein, Ada', 0],
    ]);
    expect(gaps).toEqual([{ from: '2026-01-05T00:00:00.000Z', to: '2026-01-05T08:00:00.000Z' }]);
    const { body: duty } = await world.call(me, 'GET', '/v1/onCall');
    const mine = (duty['value'] as { onCallScheduleId: string; now: { name: string }; next: { name: string } }[]).find(
      (schedule) => schedule.onCallScheduleId === id,
    );
    expect([mine?.now.name, mine?.next.name].toSorted()).toEqual(['Kim Berg', 'Lee; Stein, Ada']);
  });

  it('says that nobody is on call although somebody should be, and that no message reaches who is', async () => {
    interface Duty {
      onCallScheduleId: string;
      isUnplannedGap: boolean;
      problem: string | null;
    }
    const dutyOf = async (id: string): Promise<Duty | undefined> => {
      const { body } = await world.call(me, 'GET', '/v1/onCall');
      return (body['value'] as unknown as Duty[]).find((schedule) => schedule.onCallScheduleId === id);
    };
    const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 16);
    const late = await created({ layers: [layer({ start: tomorrow })] });
    expect(await dutyOf(late)).toMatchObject({ isUnplannedGap: true, problem: null });
    expect(await dutyOf(await created({ layers: [] }))).toMatchObject({ isUnplannedGap: true });
    // On holidays only: the schedule leaves out this time.
    const onHolidays = await created({
      holidays: [tomorrow.slice(0, 10)],
      layers: [layer({ holidays: 'Only' })],
    });
    expect(await dutyOf(onHolidays)).toMatchObject({ isUnplannedGap: false });
    const covered = await created({ layers: [layer()] });
    expect(await dutyOf(covered)).toMatchObject({ isUnplannedGap: false, problem: null });
    const mute = await personIn(world, tenantId, 'Silent Person');
    await world.system.db.query({ text: 'update person set email = null where person_id = $1', values: [mute] });
    const unreached = await created({ layers: [layer({ people: [mute] })] });
    expect(await dutyOf(unreached)).toMatchObject({ problem: expect.stringMatching(/^The person has no channel/) });
  });

  it('warns of times without anybody and of people who cannot be reached', async () => {
    const left = await personIn(world, tenantId, 'Gone Person');
    const mute = await personIn(world, tenantId, 'Mute Person');
    const id = await created({
      layers: [layer({ people: [left, mute], unit: 'Days', restrictions: [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }] })],
    });
    await world.system.db.query({ text: 'update person set enabled = false where person_id = $1', values: [left] });
    await world.system.db.query({ text: 'update person set email = null where person_id = $1', values: [mute] });
    const { unreachable, gaps, withoutTurns } = await shiftsOf(id);
    expect(withoutTurns).toEqual([]);
    const idle = await created({
      layers: [
        layer({
          people: [kim, lee, mute, lee, mute, mute, lee],
          start: '2026-01-03T00:00',
          unit: 'Days',
          restrictions: [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }],
        }),
      ],
    });
    expect((await shiftsOf(idle)).withoutTurns).toEqual([{ personId: kim, name: 'Kim Berg', layer: 'First line' }]);
    expect(unreachable.map((named) => [named.name, named.reason]).toSorted()).toEqual([
      ['Gone Person', 'The person is disabled.'],
      ['Mute Person', 'The person has no channel: no email address, browser or phone.'],
    ]);
    expect(gaps.length).toBeGreaterThan(8);
  });

  it('refuses what cannot be, by its name', async () => {
    const target = async (body: object) => {
      const { status, body: answer } = await add(body);
      return [status, (answer['error'] as { details: { target: string }[] }).details[0]?.target];
    };
    expect(await target({ timeZone: 'Europe/Nowhere' })).toEqual([400, 'timeZone']);
    expect((await target({ layers: [layer({ start: '2026-02-30T09:00' })] }))[0]).toBe(400);
    expect((await target({ holidays: ['2026-13-01'] }))[0]).toBe(400);
    const outsider = await personIn(world, otherId);
    expect(await target({ layers: [layer(), layer({ people: [outsider] })] })).toEqual([400, 'layers.1.people']);
    const id = await created({});
    const override = (change: object) =>
      world.call(me, 'PUT', '/v1/onCallOverrides', {
        onCallScheduleId: id,
        personId: kim,
        startsAt: '2026-05-01T08:00:00Z',
        endsAt: '2026-05-01T09:00:00Z',
        ...change,
      });
    for (const [change, name] of [
      [{ endsAt: '2026-05-01T08:00:00Z' }, 'endsAt'],
      [{ endsAt: '2026-09-01T08:00:00Z' }, 'endsAt'],
      [{ personId: outsider }, 'personId'],
    ] as const)
      expect((await override(change)).body).toMatchObject({ error: { details: [{ target: name }] } });
  });

  it('lets the service desk take over, and not change the schedule', async () => {
    const id = await created({ layers: [layer()] });
    const desk = holder(
      [tenantId],
      [
        'CloudFit.CFS.OnCall:view',
        'CloudFit.CFS.OnCall.Overrides:create',
        'CloudFit.CFS.OnCall.Overrides:view',
        'CloudFit.CFS.People:view',
      ],
    );
    const body = { onCallScheduleId: id, personId: kim, startsAt: '2036-05-01T08:00:00Z', endsAt: '2036-05-01T09:00:00Z' };
    expect((await world.call(desk, 'PUT', '/v1/onCallOverrides', body)).status).toBe(201);
    expect((await world.call(desk, 'POST', `/v1/onCallSchedules/${id}`, { name: 'Mine' })).status).toBe(403);
    for (const path of [`/v1/onCallSchedules/${id}/shifts`, '/v1/onCall']) {
      expect((await world.call(null, 'GET', path)).status).toBe(401);
      expect((await world.call(holder([tenantId], ['CloudFit.CFS.WorkUnits:view']), 'GET', path)).status).toBe(403);
    }
    expect((await world.call(holder([otherId]), 'GET', `/v1/onCallSchedules/${id}/shifts`)).status).toBe(404);
    expect((await world.call(me, 'GET', `/v1/onCallSchedules/${id}/shifts?days=93`)).body).toMatchObject({
      error: { details: [{ target: 'days' }] },
    });
  });
});

describe('the calendar feed', () => {
  afterEach(() => void vi.useRealTimers());

  it('gives each shift the same id and start at each call, also the one that began long ago', async () => {
    const changes: Partial<Layer>[] = [{}, { people: [kim] }, { every: 9 }, { every: 60 }, { unit: 'Hours', every: 5 }];
    for (const change of changes) {
      const url = pathOf((await link(me, await created({ layers: [layer(change)] }))).body['url']);
      const eventsAt = async (time: string): Promise<string[]> => {
        vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(time) });
        const { text } = await world.call(null, 'GET', url);
        return [...text.matchAll(/UID:([^\r]*)\r\nDTSTAMP:[^\r]*\r\nDTSTART:([^\r]*)/g)].map(([, uid, start]) => `${uid} ${start}`);
      };
      const first = await eventsAt('2026-06-10T10:00:00Z');
      expect(first.length).toBeGreaterThan(0);
      expect(await eventsAt('2026-06-10T10:00:07Z')).toEqual(first);
      const later = await eventsAt('2026-06-10T13:30:00Z');
      expect(later.filter((item) => !first.includes(item))).toEqual([]);
      expect(first.indexOf(later[0] ?? '')).toBeLessThan(2);
    }
  });

  const link = async (caller: TestCaller | null, id: string, renew = false) =>
    world.call(caller, 'POST', `/v1/onCallSchedules/${id}/calendarLink`, { renew });
  const pathOf = (url: unknown): string => new URL(String(url)).pathname;

  it('is read without a sign-in by its link alone, until the link is renewed or the tenant is disabled', async () => {
    const id = await created({ name: 'Plant, night', layers: [layer()] });
    const url = pathOf((await link(me, id)).body['url']);
    const feed = await world.call(null, 'GET', url);
    expect([feed.status, String(feed.headers['content-type'])]).toEqual([200, 'text/calendar; charset=utf-8']);
    const text = feed.text;
    expect(text.startsWith('BEGIN:VCALENDAR\r\nVERSION:2.0\r\n')).toBe(true);
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    const lines = text.replaceAll('\r\n ', '').split('\r\n');
    expect(lines).toContain(String.raw`SUMMARY:Lee\; Stein\, Ada on call: Plant\, night`);
    // Weekly handovers at 09:00 in Berlin: 07:00 or 08:00 in UTC.
    const starts = lines.filter((line) => line.startsWith('DTSTART:'));
    expect(starts.length).toBeGreaterThan(11);
    for (const start of starts) expect(start).toMatch(/^DTSTART:\d{8}T0[78]0000Z$/);
    expect(new Set(lines.filter((line) => line.startsWith('UID:'))).size).toBe(starts.length);

    expect((await world.call(null, 'GET', `${url.slice(0, -2)}xx`)).status).toBe(404);
    const reader = holder([tenantId], ['CloudFit.CFS.OnCall:view']);
    expect((await link(reader, id, true)).status).toBe(403);
    expect([(await link(null, id)).status, (await link(holder([otherId]), id)).status]).toEqual([401, 404]);
    const renewed = pathOf((await link(me, id, true)).body['url']);
    expect((await world.call(null, 'GET', url)).status).toBe(404);
    expect((await world.call(null, 'GET', renewed)).status).toBe(200);
    await world.system.db.query({ text: 'update tenant set enabled = false where tenant_id = $1', values: [tenantId] });
    expect((await world.call(null, 'GET', renewed)).status).toBe(404);
    await world.system.db.query({ text: 'update tenant set enabled = true where tenant_id = $1', values: [tenantId] });
  });
});
