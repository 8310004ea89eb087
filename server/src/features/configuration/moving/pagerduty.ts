/** PagerDuty: schedules whose layers replace each other, overrides, and escalation policies of services. */
import type { AnsweredItem, ForeignAnswers } from './answers.ts';
import type { Moving, SourceStep } from './document.ts';
import { instantIn, itemOf, itemsOf, localAt, NoCounterpart, numberOf, textOf, zoneIn, type ForeignItem } from './reading.ts';
import { startingAt, type RenderedShift, type SourceLayer, type SourceOverride } from './schedules.ts';
import { dayMinutes, type WeekWindow } from './week.ts';

const lengths = [
  ['Weeks', 604_800],
  ['Days', 86_400],
  ['Hours', 3_600],
] as const;

function windowsOf(restriction: ForeignItem): WeekWindow[] {
  const [hours = 0, minutes = 0, seconds = 0] = textOf(restriction['start_time_of_day']).split(':').map(Number);
  const duration = numberOf(restriction['duration_seconds'], 0);
  if (seconds !== 0 || duration % 60 !== 0) throw new NoCounterpart('seconds', textOf(restriction['start_time_of_day']));
  const start = hours * 60 + minutes;
  const length = duration / 60;
  if (restriction['type'] === 'weekly_restriction')
    // 1 is Monday, 7 is Sunday.
    return [{ start: (numberOf(restriction['start_day_of_week'], 1) % 7) * dayMinutes + start, length }];
  return [0, 1, 2, 3, 4, 5, 6].map((day) => ({ start: day * dayMinutes + start, length }));
}

type EmailOfUser = (person: ForeignItem) => string;

function emailsOf(answers: ForeignAnswers): EmailOfUser {
  const byId = new Map(answers.of('users').map(({ item }) => [textOf(item['id']), textOf(item['email'])]));
  return (person) => byId.get(textOf(person['id'])) || textOf(person['email']) || textOf(person['summary']) || textOf(person['id']);
}

/** A layer, and before it the rest of the turn during which it begins. */
function layersOf(item: ForeignItem, level: number, timeZone: string, emailOf: EmailOfUser, now: number): SourceLayer[] {
  const seconds = numberOf(item['rotation_turn_length_seconds'], 0);
  const [unit, unitSeconds] = lengths.find(([, length]) => seconds > 0 && seconds % length === 0) ?? [];
  if (unit === undefined || unitSeconds === undefined) throw new NoCounterpart('odd-length', `${seconds} s`);
  const turns = itemsOf(item['users']).map((entry) => [emailOf('user' in entry ? itemOf(entry['user']) : entry)]);
  if (turns.length === 0) throw new NoCounterpart('no-people');
  const [id, name] = [textOf(item['id']) || `level ${level}`, textOf(item['name']) || `Layer ${level + 1}`];
  const layer: SourceLayer = {
    id,
    name,
    level,
    turns,
    start: localAt(timeZone, instantIn(item['rotation_virtual_start'] ?? item['start'])),
    unit,
    every: seconds / unitSeconds,
    windows: itemsOf(item['restrictions']).flatMap(windowsOf),
    ...(item['end'] ? { until: localAt(timeZone, instantIn(item['end'])) } : {}),
  };
  const begins = item['start'] ? instantIn(item['start']) : now;
  const local = localAt(timeZone, begins);
  // Turns count from the virtual start, also those before the layer begins.
  if (begins <= now || local <= layer.start) return [layer];
  const later = startingAt(layer, local, seconds * 1_000);
  if (later.start === local) return [later];
  const until = Math.min(later.start, layer.until ?? later.start);
  const first = { ...later, id: `${id} first`, turns: later.turns.slice(-1), start: local, until };
  return [first, ...(layer.until !== undefined && layer.until <= later.start ? [] : [later])];
}

function overridesOf(all: readonly AnsweredItem[], schedule: ForeignItem, emailOf: EmailOfUser): SourceOverride[] {
  const id = textOf(schedule['id']);
  const listed = [...all.filter(({ of }) => of === id).map(({ item }) => item), ...itemsOf(schedule['overrides'])];
  const rendered = itemsOf(itemOf(schedule['overrides_subschedule'])['rendered_schedule_entries']);
  return (listed.length > 0 ? listed : rendered).map((item) => ({
    people: [emailOf(itemOf(item['user']))],
    from: instantIn(item['start']),
    to: instantIn(item['end']),
    reason: '',
  }));
}

/** The final schedule as PagerDuty computed it, for the time of its entries. */
function renderedOf(schedule: ForeignItem, emailOf: EmailOfUser) {
  const shifts = itemsOf(itemOf(schedule['final_schedule'])['rendered_schedule_entries']).map((entry): RenderedShift => ({
    person: emailOf(itemOf(entry['user'])),
    from: instantIn(entry['start']),
    to: instantIn(entry['end']),
  }));
  if (shifts.length === 0) return undefined;
  return { from: Math.min(...shifts.map(({ from }) => from)), to: Math.max(...shifts.map(({ to }) => to)), shifts };
}

function addEscalation(item: ForeignItem, moving: Moving, emailOf: EmailOfUser): void {
  const name = textOf(item['name']);
  const label = `Escalation policy ${name}`;
  const steps: SourceStep[] = [];
  let minutes = 0;
  for (const rule of itemsOf(item['escalation_rules'])) {
    const strategy = textOf(itemOf(rule['escalation_rule_assignment_strategy'])['type'] ?? rule['escalation_rule_assignment_strategy']);
    if (strategy === 'round_robin') moving.lacks(label, 'round-robin');
    else
      for (const target of itemsOf(rule['targets'])) {
        const type = textOf(target['type']).replace('_reference', '');
        if (type === 'schedule') steps.push({ minutes, to: { schedule: textOf(target['id']) }, stopWhen: 'Acknowledged' });
        else if (type === 'user') steps.push({ minutes, to: { person: emailOf(target) }, stopWhen: 'Acknowledged' });
        else moving.lacks(label, 'step-recipient', `${type} ${textOf(target['summary'])}`);
      }
    minutes += numberOf(rule['escalation_delay_in_minutes'], 0);
  }
  const times = numberOf(item['num_loops'], 0);
  moving.addEscalation({
    id: textOf(item['id']),
    name,
    description: textOf(item['description']),
    steps,
    ...(times > 0 && minutes > 0 ? { repeat: { minutes, times } } : {}),
  });
}

export function convertPagerDuty(answers: ForeignAnswers, moving: Moving, now: number): void {
  const emailOf = emailsOf(answers);
  for (const kind of ['schedules', 'escalations', 'users', 'services'] as const) moving.count(kind, answers.of(kind).length);
  for (const { item } of answers.of('schedules')) {
    const [id, name] = [textOf(item['id']), textOf(item['name']) || textOf(item['summary'])];
    moving.attempt(`Schedule ${name}`, () => {
      const timeZone = zoneIn(item['time_zone']);
      const all = itemsOf(item['schedule_layers']);
      if (!('schedule_layers' in item)) throw new NoCounterpart('no-people', 'schedule_layers');
      const layers = all.flatMap((layer, place): SourceLayer[] => {
        let some: SourceLayer[] = [];
        moving.attempt(`Schedule ${name} / ${textOf(layer['name'])}`, () => {
          // Layers are never deleted there: those that were taken out have an end.
          if (layer['end'] && instantIn(layer['end']) <= now) return;
          // The answer begins with the layer that replaces the others.
          some = layersOf(layer, all.length - 1 - place, timeZone, emailOf, now);
        });
        return some;
      });
      moving.addSchedule({
        id,
        name,
        description: textOf(item['description']),
        timeZone,
        layers,
        overrides: overridesOf(answers.of('overrides'), item, emailOf),
        rendered: renderedOf(item, emailOf),
      });
    });
  }
  const policies = new Map(answers.of('escalations').map(({ item }) => [textOf(item['id']), textOf(item['name'])]));
  for (const { item } of answers.of('escalations')) addEscalation(item, moving, emailOf);
  for (const { item } of answers.of('services')) {
    const policy = itemOf(item['escalation_policy']);
    const name = policies.get(textOf(policy['id'])) ?? textOf(policy['summary']);
    moving.lacks(`Service ${textOf(item['name']) || textOf(item['summary'])}`, 'by-service', name);
    for (const integration of itemsOf(item['integrations']))
      moving.lacks(
        `Integration ${textOf(integration['name']) || textOf(integration['summary'])}`,
        'add-source',
        textOf(integration['type']).replace('_inbound_integration', '').replace('_reference', ''),
      );
  }
}
