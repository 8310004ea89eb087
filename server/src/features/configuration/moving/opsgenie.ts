/** Opsgenie: schedules with rotations, whose people are on call at the same time, overrides and escalations. */
import type { AnsweredItem, ForeignAnswers } from './answers.ts';
import type { Moving, SourceStep } from './document.ts';
import { instantIn, itemOf, itemsOf, localAt, NoCounterpart, numberOf, textOf, zoneIn, type ForeignItem } from './reading.ts';
import type { RenderedShift, SourceLayer, SourceOverride } from './schedules.ts';
import { dayMinutes, weekMinutes, type WeekWindow } from './week.ts';

const units = { hourly: 'Hours', daily: 'Days', weekly: 'Weeks' } as const;
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const minutesIn = (restriction: ForeignItem, edge: 'start' | 'end'): number =>
  numberOf(restriction[`${edge}Hour`], 0) * 60 + numberOf(restriction[`${edge}Min`], 0);

/** The length of a time that ends after its start, on another day if need be. Equal ends are a whole round. */
const lengthOf = (start: number, end: number, round: number): number => (end > start ? end - start : end + round - start);

function windowsOf(restriction: ForeignItem): WeekWindow[] {
  if (restriction['type'] === 'weekday-and-time-of-day')
    return itemsOf(restriction['restrictions']).map((entry) => {
      const [from, to] = [
        weekdays.indexOf(textOf(entry['startDay']).toLowerCase()),
        weekdays.indexOf(textOf(entry['endDay']).toLowerCase()),
      ];
      if (from < 0 || to < 0) throw new NoCounterpart('unreadable-time', textOf(entry['startDay']));
      const start = from * dayMinutes + minutesIn(entry, 'start');
      return { start, length: lengthOf(start, to * dayMinutes + minutesIn(entry, 'end'), weekMinutes) };
    });
  // Opsgenie answers one restriction for a time of day; some versions of its API list it.
  const daily = 'restriction' in restriction ? [itemOf(restriction['restriction'])] : itemsOf(restriction['restrictions']);
  return daily.flatMap((entry) => {
    const [start, end] = [minutesIn(entry, 'start'), minutesIn(entry, 'end')];
    return weekdays.map((_, day) => ({ start: day * dayMinutes + start, length: lengthOf(start, end, dayMinutes) }));
  });
}

/** Email addresses of people by their ids. */
function emailsOf(answers: ForeignAnswers): (person: ForeignItem) => string {
  const byId = new Map(answers.of('users').map(({ item }) => [textOf(item['id']), textOf(item['username'])]));
  return (person) => byId.get(textOf(person['id'])) || textOf(person['username']) || textOf(person['name']) || textOf(person['id']);
}

function layerOf(rotation: ForeignItem, timeZone: string, emailOf: (person: ForeignItem) => string): SourceLayer {
  const unit = units[textOf(rotation['type']) as keyof typeof units];
  if (unit === undefined) throw new NoCounterpart('odd-length', textOf(rotation['type']));
  const participants = itemsOf(rotation['participants']);
  const turns = participants.map((participant) => {
    const type = textOf(participant['type']);
    if (type === 'none') return [];
    if (type !== 'user') throw new NoCounterpart('team-turn', `${type} ${textOf(participant['name'])}`.trim());
    return [emailOf(participant)];
  });
  if (turns.length === 0) throw new NoCounterpart('no-people');
  return {
    id: textOf(rotation['id']) || textOf(rotation['name']),
    name: textOf(rotation['name']),
    level: 0,
    turns,
    start: localAt(timeZone, instantIn(rotation['startDate'])),
    unit,
    every: numberOf(rotation['length'], 1),
    windows: rotation['timeRestriction'] ? windowsOf(itemOf(rotation['timeRestriction'])) : [],
    ...(rotation['endDate'] ? { until: localAt(timeZone, instantIn(rotation['endDate'])) } : {}),
  };
}

function overridesOf(all: readonly AnsweredItem[], schedule: ForeignItem, emailOf: (person: ForeignItem) => string): SourceOverride[] {
  const [id, name] = [textOf(schedule['id']), textOf(schedule['name'])];
  return [...all, ...itemsOf(schedule['overrides']).map((item) => ({ item, of: id }))]
    .filter(({ item, of }) => [of, textOf(itemOf(item['_parent'])['id'])].some((parent) => parent !== '' && [id, name].includes(parent)))
    .map(({ item }) => ({
      people: [emailOf(itemOf(item['user']))],
      from: instantIn(item['startDate']),
      to: instantIn(item['endDate']),
      reason: textOf(item['alias']),
      ...(itemsOf(item['rotations']).length > 0
        ? { layers: itemsOf(item['rotations']).map((rotation) => textOf(rotation['id']) || textOf(rotation['name'])) }
        : {}),
    }));
}

function renderedOf(timelines: readonly AnsweredItem[], scheduleId: string, emailOf: (person: ForeignItem) => string) {
  const timeline = timelines.find(({ item, of }) => of === scheduleId || textOf(itemOf(item['_parent'])['id']) === scheduleId)?.item;
  if (!timeline?.['startDate'] || !timeline['endDate']) return undefined;
  const shifts = itemsOf(itemOf(timeline['finalTimeline'])['rotations']).flatMap(({ periods }) =>
    itemsOf(periods).flatMap((period): RenderedShift[] => {
      const recipient = itemOf(period['recipient']);
      if (textOf(recipient['type']) !== 'user') return [];
      return [{ person: emailOf(recipient), from: instantIn(period['startDate']), to: instantIn(period['endDate']) }];
    }),
  );
  return { from: instantIn(timeline['startDate']), to: instantIn(timeline['endDate']), shifts };
}

const perUnit: Readonly<Record<string, number>> = { seconds: 1 / 60, minutes: 1, hours: 60, days: 1_440 };

function stepOf(rule: ForeignItem, emailOf: (person: ForeignItem) => string): SourceStep {
  const recipient = itemOf(rule['recipient']);
  const [type, condition, notifies] = [textOf(recipient['type']), textOf(rule['condition']), textOf(rule['notifyType'])];
  const name = textOf(recipient['name']) || textOf(recipient['username']) || textOf(recipient['id']);
  if (type !== 'user' && type !== 'schedule') throw new NoCounterpart('step-recipient', `${type} ${name}`);
  if (notifies !== '' && notifies !== 'default') throw new NoCounterpart('notify-type', `${notifies}: ${name}`);
  if (condition !== 'if-not-acked' && condition !== 'if-not-closed') throw new NoCounterpart('step-condition', condition);
  const delay = itemOf(rule['delay']);
  return {
    minutes: numberOf(delay['timeAmount'], 0) * (perUnit[textOf(delay['timeUnit'])] ?? 1),
    to: type === 'user' ? { person: emailOf(recipient) } : { schedule: textOf(recipient['id']) || textOf(recipient['name']) },
    stopWhen: condition === 'if-not-acked' ? 'Acknowledged' : 'Resolved',
  };
}

export function convertOpsgenie(answers: ForeignAnswers, moving: Moving, now: number): void {
  const emailOf = emailsOf(answers);
  for (const kind of ['schedules', 'escalations', 'users', 'integrations'] as const) moving.count(kind, answers.of(kind).length);
  for (const { item } of answers.of('schedules')) {
    const [id, name] = [textOf(item['id']), textOf(item['name'])];
    if (item['enabled'] === false) {
      moving.lacks(`Schedule ${name}`, 'disabled');
      continue;
    }
    moving.attempt(`Schedule ${name}`, () => {
      const timeZone = zoneIn(item['timezone']);
      const layers = itemsOf(item['rotations']).flatMap((rotation): SourceLayer[] => {
        let layer: SourceLayer | undefined;
        moving.attempt(`Schedule ${name} / ${textOf(rotation['name'])}`, () => {
          if (rotation['endDate'] && instantIn(rotation['endDate']) <= now) throw new NoCounterpart('ended', textOf(rotation['endDate']));
          layer = layerOf(rotation, timeZone, emailOf);
        });
        return layer ? [layer] : [];
      });
      moving.addSchedule({
        id,
        name,
        description: textOf(item['description']),
        timeZone,
        layers,
        overrides: overridesOf(answers.of('overrides'), item, emailOf),
        rendered: renderedOf(answers.of('timelines'), id, emailOf),
      });
    });
  }
  for (const { item } of answers.of('escalations')) {
    const name = textOf(item['name']);
    const repeat = itemOf(item['repeat']);
    const steps = itemsOf(item['rules']).flatMap((rule): SourceStep[] => {
      let step: SourceStep | undefined;
      moving.attempt(`Escalation ${name}`, () => (step = stepOf(rule, emailOf)));
      return step ? [step] : [];
    });
    if (repeat['closeAlertAfterAll'] === true) moving.lacks(`Escalation ${name}`, 'close-after');
    const waits = numberOf(repeat['waitInterval'], 0);
    moving.addEscalation({
      id: textOf(item['id']),
      name,
      description: textOf(item['description']),
      steps,
      ...(waits > 0
        ? { repeat: { minutes: Math.max(0, ...steps.map(({ minutes }) => minutes)) + waits, times: numberOf(repeat['count'], 1) } }
        : {}),
    });
  }
  for (const { item } of answers.of('integrations')) {
    if (item['enabled'] === false) moving.lacks(`Integration ${textOf(item['name'])}`, 'disabled');
    else moving.lacks(`Integration ${textOf(item['name'])}`, 'add-source', textOf(item['type']));
  }
}
