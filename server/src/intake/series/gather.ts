/**
 * Makes packets of single values: those of one device or block at one time become one packet. What is gathered is only names and numbers,
 * so a body with many labels costs little memory.
 */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { fillTemplate, namesIn } from '@cloudfit/contract/sources/template.ts';
import type { SourcePlan } from '../map.ts';
import { refusedReading, type RefusedReading, type SourceReading } from '../readings.ts';

export type SeriesLabels = Readonly<Record<string, string>>;

/** A value of a series at a time, or several that belong together, such as count and sum of a histogram. */
interface SeriesSample {
  /** What is the same for everything that the sender sends, such as the attributes of its resource. */
  common: SeriesLabels;
  /** What tells series of one name apart; those by which the device is named are left out of the name. */
  pointLabels: SeriesLabels;
  name: string;
  /** In milliseconds. */
  time: number | undefined;
  /** Values by what is added to the name. */
  values: Readonly<Record<string, number>>;
  /** Values that follow from what was sent before; a repetition may have others, or none. */
  derived?: Readonly<Record<string, number | undefined>>;
  states?: Readonly<Record<string, string | boolean>>;
  properties?: Readonly<Record<string, string>>;
}

export interface Gathering {
  add(sample: SeriesSample): void;
  refuse(code: string, message: string, sent: unknown): void;
  /** The packets, the oldest first, and what was refused. */
  readings(): (SourceReading | RefusedReading)[];
}

/** The maximum number of values of one payload; those of a histogram count as one. */
const maxSamples = 50_000;
/** Names in one packet; a device with more gets several of the same time. */
const maxNames = limits.packetKeys - 100;
const maxNameLength = 500;
/** Beyond this many, refusals are counted without being listed one by one. */
const listedRefusals = 1_000;

interface Gathered {
  labels: SeriesLabels;
  time: number | undefined;
  message: PacketMessage;
  names: number;
  samples: number;
  /** What was sent, without what follows from earlier payloads. */
  id: string[];
}

const escaped = (text: string): string => text.replaceAll(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));

/** A name with the labels that tell it apart, as Prometheus writes it: `node_load1{job="node"}`. */
function seriesName(name: string, pointLabels: SeriesLabels, leftOut: ReadonlySet<string>): string {
  const names = Object.keys(pointLabels).filter((label) => !leftOut.has(label) && pointLabels[label] !== '');
  if (names.length === 0) return name;
  const labels = names
    .toSorted()
    .map((label) => `${label}="${escaped(pointLabels[label] ?? '')}"`)
    .join(',');
  return `${name}{${labels}}`;
}

export function gatherSamples(plan: SourcePlan): Gathering {
  const template = plan.block ?? plan.device ?? [];
  const naming = new Set(template.flatMap((part) => (typeof part === 'string' ? [] : part.names)));
  const groups = new Map<string, Gathered[]>();
  const refusals = new Map<string, RefusedReading & { weight: number }>();
  let count = 0;
  let listed = 0;

  function refuse(code: string, message: string, sent: unknown): void {
    const key = listed < listedRefusals ? `${code} ${message}` : code;
    const same = refusals.get(key);
    if (same) same.weight += 1;
    else {
      listed += 1;
      refusals.set(key, { ...refusedReading(code, message, sent), weight: 1 });
    }
  }

  function groupOf({ common, pointLabels, time }: SeriesSample, names: number): Gathered | undefined {
    const labels = { ...common, ...pointLabels };
    const entity = fillTemplate(template, { labels });
    if (entity === undefined || entity === '') return undefined;
    const key = `${time ?? ''} ${String(entity)}`;
    let parts = groups.get(key);
    if (!parts) groups.set(key, (parts = []));
    let last = parts.at(-1);
    if (!last || last.names + names > maxNames) {
      const named = Object.fromEntries(Object.entries(pointLabels).filter(([name]) => naming.has(name)));
      last = { labels: { ...common, ...named }, time, message: {}, names: 0, samples: 0, id: [] };
      parts.push(last);
    }
    return last;
  }

  function add(sample: SeriesSample): void {
    count += 1;
    if (count > maxSamples) throw new ApiError('PayloadTooLarge', `A payload has at most ${maxSamples} values. Send it in parts.`);
    const { pointLabels, name, values, derived = {}, states = {}, properties = {} } = sample;
    const names = [values, derived, states, properties].reduce((sum, part) => sum + Object.keys(part).length, 0);
    if (names === 0) return;
    if (names > maxNames) {
      refuse('TooManyValues', `${name.slice(0, maxNameLength)} has more than ${maxNames} values. Send them in parts.`, { name });
      return;
    }
    const group = groupOf(sample, names);
    if (!group) {
      refuse(
        'NoName',
        `There is no value for ${namesIn(template)}, by which the source names the ${plan.block ? 'block' : 'device'}.`,
        sample,
      );
      return;
    }
    const suffixed = (suffix: string): string => seriesName(`${name}${suffix}`, pointLabels, naming);
    if (suffixed('').length > maxNameLength) {
      refuse('NameTooLong', `A name with its labels has more than ${maxNameLength} characters.`, sample);
      return;
    }
    if (name === '__proto__' || name === 'constructor') {
      refuse('InvalidName', `A metric cannot be named ${name}.`, { name });
      return;
    }
    const { message } = group;
    for (const [suffix, value] of Object.entries(values)) {
      const metric = suffixed(suffix);
      const other = message.Metrics?.[metric];
      if (other !== undefined && other !== value) {
        refuse('NameTwice', `${metric} has two values of one time. Name devices or blocks by what tells them apart.`, sample);
        return;
      }
      (message.Metrics ??= {})[metric] = value;
      group.id.push(metric, String(value));
    }
    for (const [suffix, value] of Object.entries(derived)) if (value !== undefined) (message.Metrics ??= {})[suffixed(suffix)] = value;
    for (const [part, added] of [
      ['States', states],
      ['Properties', properties],
    ] as const)
      for (const [suffix, value] of Object.entries(added)) {
        const field = suffixed(suffix);
        (message[part] ??= {})[field] = value;
        group.id.push(field, String(value));
      }
    group.names += names;
    group.samples += 1;
  }

  return {
    add,
    refuse,
    readings: () => [
      ...refusals.values(),
      ...[...groups.values()]
        .flat()
        .toSorted((a, b) => (a.time ?? 0) - (b.time ?? 0))
        .map(({ labels, time, message, samples, id }): SourceReading => ({
          labels,
          message,
          weight: samples,
          // Without a time nothing tells a repetition from the next value.
          ...(time === undefined ? {} : { time, id: `${time}\n${id.join('\n')}` }),
        })),
    ],
  };
}
