/** `influx`: line protocol, as Telegraf's exec input reads it. */
import { NotUnderstood } from './not-understood.ts';
import { addMetric, seriesMax, seriesName, type OutputReading } from './reading.ts';

type Scalar = number | string | boolean;
interface Point {
  name: string;
  labels: [string, string][];
  fields: [string, Scalar][];
  /** The position after the point. */
  end: number;
}

// A backslash escapes the marks of its place only, and stands for itself before any other character.
const measurement = /(?:\\[, ]|[^, \n])+/y;
const key = /(?:\\[,= ]|[^,= \n])+/y;
const fieldString = /"((?:\\.|[^"\\])*)"/sy;
const fieldWord = /[^, \n\r"]+/y;
const end = /[ \t]*(?:[ ]-?\d+[ \t]*)?\r?(?:\n|$)/y;

const unescaped = (text: string): string => text.replaceAll(/\\([,= ])/g, '$1');

const booleans: Readonly<Record<string, boolean>> = {
  t: true,
  T: true,
  true: true,
  True: true,
  TRUE: true,
  f: false,
  F: false,
  false: false,
  False: false,
  FALSE: false,
};

function wordValue(text: string): Scalar | undefined {
  if (text in booleans) return booleans[text];
  if (!/^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|\d+[iu])$/i.test(text)) return undefined;
  const value = Number(text.replace(/[iu]$/i, ''));
  return Number.isFinite(value) ? value : undefined;
}

/** Reads the point at a position; undefined if there is none. A text in quotes may go over several lines. */
function pointAt(text: string, from: number): Point | undefined {
  let at = from;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return undefined;
    at = pattern.lastIndex;
    return match;
  };
  const mark = (char: string): boolean => text[at] === char && ++at > 0;
  const name = take(measurement)?.[0];
  if (name === undefined) return undefined;
  const labels: [string, string][] = [];
  while (mark(',')) {
    const label = take(key)?.[0];
    const value = label !== undefined && mark('=') ? take(key)?.[0] : undefined;
    if (label === undefined || value === undefined) return undefined;
    labels.push([unescaped(label), unescaped(value)]);
  }
  if (!mark(' ')) return undefined;
  while (mark(' '));
  const fields: [string, Scalar][] = [];
  do {
    const field = take(key)?.[0];
    if (field === undefined || !mark('=')) return undefined;
    const string = take(fieldString)?.[1];
    const value = string === undefined ? wordValue(take(fieldWord)?.[0] ?? '') : string.replaceAll(/\\(["\\])/g, '$1');
    if (value === undefined) return undefined;
    fields.push([unescaped(field), value]);
  } while (mark(','));
  return take(end) ? { name: unescaped(name), labels, fields, end: at } : undefined;
}

export function readInflux(text: string): OutputReading {
  const reading: OutputReading & { metrics: Record<string, number> } = { metrics: {} };
  const states: Record<string, string | boolean> = {};
  const strange = new NotUnderstood();
  let points = 0;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const lineEnd = newline < 0 ? text.length : newline + 1;
    const whole = text.slice(at, lineEnd);
    const line = whole.trim();
    const point = line === '' || line.startsWith('#') ? undefined : pointAt(text, at + whole.length - whole.trimStart().length);
    if (point) {
      points++;
      for (const [field, value] of point.fields) {
        const fullName = seriesName(`${point.name}_${field}`, point.labels);
        if (typeof value === 'number') addMetric(reading, fullName, value);
        else if (Object.keys(states).length < seriesMax / 4) states[fullName] = value;
      }
    } else if (line !== '' && !line.startsWith('#')) strange.add(line);
    at = point?.end ?? lineEnd;
  }
  strange.requireSome(points, 'point of the line protocol');
  if (Object.keys(states).length > 0) reading.states = states;
  if (reading.value === undefined) reading.value = Object.values(states)[0];
  strange.addTo(reading);
  return reading;
}
