/** Grafana OnCall: schedules of shifts with levels, web overrides, and escalation chains of integrations. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import type { ForeignAnswers } from './answers.ts';
import type { Moving, SourceStep } from './document.ts';
import { instantOf } from '@cloudfit/contract/on-call/shifts.ts';
import { zoneOf } from '@cloudfit/contract/rules/time-window.ts';
import { instantIn, itemOf, listOf, localAt, localIn, NoCounterpart, numberOf, textOf, zoneIn, type ForeignItem } from './reading.ts';
import { layerOfShift } from './oncall-shift.ts';
import type { RenderedShift, SourceLayer, SourceOverride } from './schedules.ts';

type EmailOfId = (id: unknown) => string;

function emailsOf(answers: ForeignAnswers): EmailOfId {
  const byId = new Map(answers.of('users').map(({ item }) => [textOf(item['id']), textOf(item['email']) || textOf(item['username'])]));
  return (id) => byId.get(textOf(id)) ?? textOf(id);
}

/** The people of each turn. The first turn is that of the index with which the rotation starts. */
function groupsOf(shift: ForeignItem, emailOf: EmailOfId): string[][] {
  if (!Array.isArray(shift['rolling_users']) || shift['type'] !== 'rolling_users') return [listOf(shift['users']).map(emailOf)];
  const groups = shift['rolling_users'].map((group) => listOf(group).map(emailOf));
  const first = numberOf(shift['start_rotation_from_user_index'], 0) % Math.max(1, groups.length);
  return [...groups.slice(first), ...groups.slice(0, first)];
}

/** Times of a shift are those of its zone, else of the schedule; shifts of the web have UTC without one. */
const zoneOfShift = (shift: ForeignItem, schedule: ForeignItem): string =>
  textOf(shift['time_zone']) || (schedule['type'] === 'web' ? 'UTC' : textOf(schedule['time_zone']) || 'UTC');

const sameZone = (zone: string): string => (['Etc/UTC', 'Etc/GMT', 'GMT', 'UTC'].includes(zone) ? 'UTC' : zone);

function overrideOf(shift: ForeignItem, zone: string, emailOf: EmailOfId): SourceOverride {
  const from = instantOf(zoneOf(zoneIn(zone)), localIn(shift['start']));
  return { people: listOf(shift['users']).map(emailOf), from, to: from + numberOf(shift['duration'], 0) * 1_000, reason: '' };
}

function renderedOf(answers: ForeignAnswers, scheduleId: string) {
  const shifts = answers
    .of('finalShifts')
    .filter(({ of }) => of === scheduleId)
    .map(({ item }): RenderedShift => ({
      person: textOf(item['user_email']) || textOf(item['user_username']),
      from: instantIn(item['shift_start']),
      to: instantIn(item['shift_end']),
    }));
  if (shifts.length === 0) return undefined;
  // The first and the last day may be cut.
  return { from: Math.min(...shifts.map(({ from }) => from)) + dayMs, to: Math.max(...shifts.map(({ to }) => to)) - dayMs, shifts };
}

function addSchedule(item: ForeignItem, answers: ForeignAnswers, moving: Moving, now: number, emailOf: EmailOfId): void {
  const [id, name] = [textOf(item['id']), textOf(item['name'])];
  const label = `Schedule ${name}`;
  if (item['type'] === 'ical') throw new NoCounterpart('ical', textOf(item['ical_url_primary']) === '' ? '' : 'ical_url_primary');
  if (textOf(item['ical_url_overrides']) !== '') moving.lacks(label, 'ical-overrides');
  const ids = new Set(listOf(item['shifts']).map(textOf));
  const shifts = answers.of('shifts').filter(({ item: shift }) => ids.has(textOf(shift['id'])) || textOf(shift['schedule']) === id);
  const layers: SourceLayer[] = [];
  const overrides: SourceOverride[] = [];
  const zones = new Set<string>();
  for (const { item: shift } of shifts) {
    const zone = sameZone(zoneOfShift(shift, item));
    moving.attempt(`${label} / ${textOf(shift['name'])}`, () => {
      if (shift['type'] === 'override') {
        overrides.push(overrideOf(shift, zone, emailOf));
        return;
      }
      zoneIn(zone);
      try {
        layers.push(layerOfShift(shift, groupsOf(shift, emailOf), localAt(zone, now)));
        zones.add(zone);
      } catch (error) {
        // Shifts that were replaced stay there with an end; nobody misses them.
        if (!(error instanceof NoCounterpart && error.reason === 'ended')) throw error;
      }
    });
  }
  if (zones.size > 1) throw new NoCounterpart('mixed-zones', [...zones].join(', '));
  const timeZone = zoneIn([...zones][0] ?? sameZone(textOf(item['time_zone']) || 'UTC'));
  moving.addSchedule({ id, name, description: '', timeZone, layers, overrides, rendered: renderedOf(answers, id) });
}

/** How often OnCall runs a chain again. */
const repeatTimes = 5;

function addChain(chain: ForeignItem, answers: ForeignAnswers, moving: Moving, emailOf: EmailOfId): void {
  const [id, name] = [textOf(chain['id']), textOf(chain['name'])];
  const label = `Escalation chain ${name}`;
  const steps: SourceStep[] = [];
  let minutes = 0;
  let isRepeated = false;
  const all = answers.of('steps').filter(({ item }) => textOf(item['escalation_chain_id']) === id);
  for (const { item } of all.toSorted((a, b) => numberOf(a.item['position'], 0) - numberOf(b.item['position'], 0))) {
    const type = textOf(item['type']);
    if (item['important'] === true) moving.lacks(label, 'important', type);
    if (type === 'wait') minutes += numberOf(item['duration'], 0) / 60;
    else if (type === 'notify_persons')
      for (const person of listOf(item['persons_to_notify']))
        steps.push({ minutes, to: { person: emailOf(person) }, stopWhen: 'Acknowledged' });
    else if (type === 'notify_on_call_from_schedule')
      steps.push({ minutes, to: { schedule: textOf(item['notify_on_call_from_schedule']) }, stopWhen: 'Acknowledged' });
    else if (type === 'repeat_escalation') isRepeated = true;
    else if (type === 'notify_person_next_each_time') moving.lacks(label, 'round-robin');
    else moving.lacks(label, 'step-kind', type);
  }
  const repeat = isRepeated && minutes > 0 ? { repeat: { minutes, times: repeatTimes } } : {};
  moving.addEscalation({ id, name, description: '', steps, ...repeat });
}

export function convertOnCall(answers: ForeignAnswers, moving: Moving, now: number): void {
  const emailOf = emailsOf(answers);
  moving.count('schedules', answers.of('schedules').length);
  moving.count('escalations', answers.of('chains').length);
  for (const kind of ['users', 'integrations'] as const) moving.count(kind, answers.of(kind).length);
  for (const { item } of answers.of('schedules'))
    moving.attempt(`Schedule ${textOf(item['name'])}`, () => addSchedule(item, answers, moving, now, emailOf));
  const chains = new Map(answers.of('chains').map(({ item }) => [textOf(item['id']), textOf(item['name'])]));
  for (const { item } of answers.of('chains')) addChain(item, answers, moving, emailOf);
  const names = new Map(answers.of('integrations').map(({ item }) => [textOf(item['id']), textOf(item['name'])]));
  for (const { item } of answers.of('integrations'))
    moving.lacks(`Integration ${textOf(item['name'])}`, 'add-source', textOf(item['type']));
  for (const { item } of answers.of('routes')) {
    const chain = chains.get(textOf(item['escalation_chain_id']));
    if (chain === undefined) continue;
    const route = textOf(item['routing_regex']) || textOf(itemOf(item)['position']);
    moving.lacks(`Route ${names.get(textOf(item['integration_id'])) ?? ''} ${route}`, 'by-route', chain);
  }
}
