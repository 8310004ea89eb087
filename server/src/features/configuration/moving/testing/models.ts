/** Slow models of other products: who is on call there at one instant, read from their answers without layers or turns of ours. */

export type Raw = Record<string, never>;
type Any = Record<string, unknown>;

const dayMs = 86_400_000;
const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** What clocks show, as if it were UTC. */
function clockOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const cache = new Map<number, number>();
  return (at) => {
    let local = cache.get(at);
    if (local === undefined) cache.set(at, (local = Date.parse(`${format.format(at).replace(' ', 'T')}Z`)));
    return local;
  };
}

const partsOf = (text: string): Any => JSON.parse(text) as Any;
const listAt = (all: Any, address: string, property: string): Any[] => {
  const key = Object.keys(all).find((name) => name.startsWith(address)) ?? '';
  return (all[key] as Any)[property] as Any[];
};

export function onCallInOpsgenie(text: string, id: string): (at: number) => string[] {
  const all = partsOf(text);
  const schedule = listAt(all, '/v2/schedules?', 'data').find((entry) => entry['id'] === id) as Any;
  const overrides = listAt(all, `/v2/schedules/${id}/overrides`, 'data');
  const clock = clockOf(String(schedule['timezone']));
  const lengths: Record<string, number> = { hourly: 3_600_000, daily: dayMs, weekly: 7 * dayMs };
  const minute = (entry: Any, edge: string): number => Number(entry[`${edge}Hour`]) * 60 + Number(entry[`${edge}Min`]);
  function isAllowed(restriction: Any | undefined, local: number): boolean {
    if (!restriction) return true;
    const now = Math.floor((local % dayMs) / 60_000);
    if (restriction['type'] === 'time-of-day') {
      const entry = restriction['restriction'] as Any;
      const [from, to] = [minute(entry, 'start'), minute(entry, 'end')];
      return from < to ? now >= from && now < to : now >= from || now < to;
    }
    const week = new Date(local).getUTCDay() * 1_440 + now;
    return (restriction['restrictions'] as Any[]).some((entry) => {
      const from = names.indexOf(String(entry['startDay'])) * 1_440 + minute(entry, 'start');
      const to = names.indexOf(String(entry['endDay'])) * 1_440 + minute(entry, 'end');
      return from < to ? week >= from && week < to : week >= from || week < to;
    });
  }
  return (at) =>
    (schedule['rotations'] as Any[]).flatMap((rotation) => {
      const over = overrides.find(
        (entry) =>
          Date.parse(String(entry['startDate'])) <= at &&
          at < Date.parse(String(entry['endDate'])) &&
          (entry['rotations'] as Any[]).some((named) => named['id'] === rotation['id']),
      );
      if (over) return [String((over['user'] as Any)['username'])];
      if (at < Date.parse(String(rotation['startDate']))) return [];
      if (rotation['endDate'] && at >= Date.parse(String(rotation['endDate']))) return [];
      if (!isAllowed(rotation['timeRestriction'] as Any | undefined, clock(at))) return [];
      const length = (lengths[String(rotation['type'])] ?? 0) * Number(rotation['length']);
      const turn = Math.floor((clock(at) - clock(Date.parse(String(rotation['startDate'])))) / length);
      const people = rotation['participants'] as Any[];
      const who = people[turn % people.length] as Any;
      return who['type'] === 'user' ? [String(who['username'])] : [];
    });
}

export function onCallInPagerDuty(text: string, id: string): (at: number) => string[] {
  const all = partsOf(text);
  const schedule = (all[`/schedules/${id}`] as Any)['schedule'] as Any;
  const users = new Map(listAt(all, '/users', 'users').map((entry) => [entry['id'], String(entry['email'])]));
  const overrides = listAt(all, `/schedules/${id}/overrides`, 'overrides');
  const clock = clockOf(String(schedule['time_zone']));
  const emailOf = (user: unknown): string => users.get((user as Any)['id']) ?? '?';
  const startsOn = (entry: Any, day: number): boolean =>
    entry['type'] === 'daily_restriction' || new Date(day).getUTCDay() === Number(entry['start_day_of_week']) % 7;
  function isAllowed(restrictions: Any[], local: number): boolean {
    if (restrictions.length === 0) return true;
    const today = Math.floor(local / dayMs) * dayMs;
    return restrictions.some((entry) => {
      const [hours, minutes] = String(entry['start_time_of_day']).split(':').map(Number);
      for (let back = 0; back <= 7; back += 1) {
        const day = today - back * dayMs;
        const from = day + ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000;
        if (startsOn(entry, day) && local >= from && local < from + Number(entry['duration_seconds']) * 1_000) return true;
      }
      return false;
    });
  }
  return (at) => {
    const over = overrides.find((entry) => Date.parse(String(entry['start'])) <= at && at < Date.parse(String(entry['end'])));
    if (over) return [emailOf(over['user'])];
    // The answer has the highest layer first.
    for (const layer of schedule['schedule_layers'] as Any[]) {
      if (at < Date.parse(String(layer['start'])) || (layer['end'] && at >= Date.parse(String(layer['end'])))) continue;
      const local = clock(at);
      if (!isAllowed(layer['restrictions'] as Any[], local)) continue;
      const begin = clock(Date.parse(String(layer['rotation_virtual_start'])));
      const turn = Math.floor((local - begin) / (Number(layer['rotation_turn_length_seconds']) * 1_000));
      const people = layer['users'] as Any[];
      return [emailOf(people[turn % people.length]?.['user'])];
    }
    return [];
  };
}

interface Event {
  from: number;
  to: number;
  users: string[];
}

/** The events of a shift in local times, by RFC 5545: one after the other from its start. */
function eventsOf(shift: Any, end: number): Event[] {
  const local = (name: string): number => Date.parse(`${String(shift[name])}Z`);
  const start = local('start');
  const long = Number(shift['duration']) * 1_000;
  const isRolling = shift['type'] === 'rolling_users';
  const first = Number(shift['start_rotation_from_user_index'] ?? 0);
  const groups = isRolling ? (shift['rolling_users'] as string[][]) : [shift['users'] as string[]];
  const groupAt = (count: number): string[] => groups[(count + first) % groups.length] ?? [];
  if (shift['type'] === 'single_event') return [{ from: start, to: start + long, users: groupAt(0) }];
  const until = shift['until'] ? local('until') : end;
  const interval = Number(shift['interval']);
  const days = shift['by_day'] as string[] | null;
  const codes = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
  const step = shift['frequency'] === 'hourly' ? 3_600_000 : dayMs;
  const weekStart = codes.indexOf(String(shift['week_start'] ?? 'SU'));
  const weekOf = (at: number): number => Math.floor((at / dayMs + 4 - weekStart) / 7);
  const events: Event[] = [];
  let chosen = 0;
  for (let count = 0, at = start; at <= until && at < end; count += 1, at += step) {
    const isDay = !days || days.includes(codes[new Date(at).getUTCDay()] ?? '');
    const week = weekOf(Math.floor(at / dayMs) * dayMs) - weekOf(Math.floor(start / dayMs) * dayMs);
    let users: string[] | undefined;
    if (shift['frequency'] === 'weekly') {
      if (isDay && week % interval === 0) users = groupAt(week / interval);
    } else if (days && isRolling) {
      if (isDay) users = groupAt(Math.floor(chosen++ / interval));
    } else if (isDay && count % interval === 0) users = groupAt(count / interval);
    if (users) events.push({ from: at, to: at + long, users });
  }
  return events;
}

export function onCallInOnCall(text: string, id: string): (at: number) => string[] {
  const all = partsOf(text);
  const users = new Map(listAt(all, '/api/v1/users', 'results').map((entry) => [entry['id'], String(entry['email'])]));
  const schedule = listAt(all, '/api/v1/schedules', 'results').find((entry) => entry['id'] === id) as Any;
  const shifts = listAt(all, '/api/v1/on_call_shifts', 'results').filter(
    (entry) => (schedule['shifts'] as string[]).includes(String(entry['id'])) && entry['frequency'] !== 'monthly',
  );
  const clock = clockOf(schedule['type'] === 'web' ? 'UTC' : String(schedule['time_zone']));
  const all2027 = Date.parse('2027-02-01T00:00:00Z');
  const lines = shifts.map((shift) => {
    const isOverride = shift['type'] === 'override';
    const events = eventsOf(isOverride ? { ...shift, type: 'single_event' } : shift, all2027);
    return { level: isOverride ? 1_000 : Number(shift['level']), events, place: 0 };
  });
  return (at) => {
    const local = clock(at);
    const active = lines.flatMap((line) => {
      while ((line.events[line.place]?.to ?? Number.POSITIVE_INFINITY) <= local) line.place += 1;
      const event = line.events[line.place];
      return event && event.from <= local ? event.users.map((user) => ({ level: line.level, user })) : [];
    });
    const highest = Math.max(...active.map(({ level }) => level));
    return active.filter(({ level }) => level === highest).map(({ user }) => users.get(user) ?? user);
  };
}
