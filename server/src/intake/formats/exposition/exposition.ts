/** Metrics that jobs push as to a Pushgateway: the text format, OpenMetrics, or protobuf, at `/metrics/job/x/instance/y`. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Format, FormatContext } from '../../format.ts';
import type { Payload, PayloadReadings } from '../../readings.ts';
import { gatherSamples, type Gathering, type SeriesLabels } from '../../series/gather.ts';
import { familiesOf } from './families.ts';
import { exposedLines, parseSample, type ExposedSample } from './text.ts';

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ApiError('InvalidBody', 'The address has a percent sign without two hexadecimal digits.');
  }
};

/** The labels of the address, of which `job` is the first; a name that ends in `@base64` has its value in base64. */
function groupOf({ path, query }: Payload): Record<string, string> {
  const labels: Record<string, string> = {};
  const set = (name: string, value: string): void => {
    if (/^[A-Za-z_][\w.]*$/.test(name) && name !== '__proto__' && name !== 'constructor' && value !== '') labels[name] = value;
  };
  const [, group] = /\/metrics\/(job(?:@base64)?\/.*)$/.exec(path) ?? [];
  const parts = (group ?? '').replace(/\/$/, '').split('/');
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [name = '', encoding] = decoded(parts[at] ?? '').split('@');
    const value = decoded(parts[at + 1] ?? '');
    set(name, encoding === 'base64' ? Buffer.from(value, 'base64url').toString() : value);
  }
  if (parts.length % 2 === 1 && group !== undefined) throw new ApiError('InvalidBody', 'A label of the address has no value.');
  for (const extra of query.getAll('extra_label')) {
    const at = extra.indexOf('=');
    if (at > 0) set(extra.slice(0, at), extra.slice(at + 1));
  }
  return labels;
}

function addExposed({ name, labels, value, time }: ExposedSample, group: SeriesLabels, gathering: Gathering): void {
  if (value === Infinity || value === -Infinity) gathering.refuse('NotFinite', `${name.slice(0, 200)} is infinite.`, { labels });
  // The labels of the address come before those of the body.
  else if (!Number.isNaN(value))
    gathering.add({
      common: group,
      pointLabels: Object.fromEntries(Object.entries(labels).filter(([label]) => !Object.hasOwn(group, label))),
      name,
      time,
      values: { '': value },
    });
}

async function readText(payload: Payload, gathering: Gathering, turn: FormatContext['turn']): Promise<void> {
  const group = groupOf(payload);
  const isOpenMetrics = /^application\/openmetrics-text\b/i.test(payload.contentType);
  let hasEnded = false;
  for (const { number, line } of exposedLines(payload.bytes.toString())) {
    if (line === '# EOF') hasEnded = true;
    else if (!line.startsWith('#')) {
      const sample = parseSample(line);
      if (typeof sample === 'string') gathering.refuse('InvalidLine', `Line ${number}: ${sample}.`, line.slice(0, 1_000));
      else {
        const { time } = sample;
        addExposed({ ...sample, time: time === undefined ? undefined : Math.round(isOpenMetrics ? time * 1_000 : time) }, group, gathering);
      }
    }
    await turn();
  }
  if (isOpenMetrics && !hasEnded) throw new ApiError('InvalidBody', 'The body ends without # EOF, so a part of it may be missing.');
}

export const exposition: Format = {
  read: async (payload, { plan, turn }): Promise<PayloadReadings> => {
    const gathering = gatherSamples(plan);
    if (/^application\/vnd\.google\.protobuf\b/i.test(payload.contentType)) {
      const group = groupOf(payload);
      for (const sample of familiesOf(payload)) {
        if (sample) addExposed(sample, group, gathering);
        await turn();
      }
    } else await readText(payload, gathering, turn);
    return gathering.readings();
  },
  // Jobs that end take back what they have pushed to a Pushgateway; here it is a packet of its time, and stays.
  respond: ({ method }) => (method === 'DELETE' ? { status: 202 } : undefined),
};
