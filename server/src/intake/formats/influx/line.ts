/** Lines of the InfluxDB line protocol: `cpu,host=web-1 usage=0.5,ok=true 1700000000000000000`. */

interface InfluxPoint {
  measurement: string;
  tags: Record<string, string>;
  metrics: Record<string, number>;
  states: Record<string, boolean>;
  properties: Record<string, string>;
  /** As it was sent, in the precision of the request. */
  time: string | undefined;
}

const longestLine = 65_536;
const maxTags = 200;
const maxFields = 400;

const isBlank = (char: string | undefined): boolean => char === ' ' || char === '\t' || char === '\r';

/** The end of the line at `start`: a line break that is not within the quotes of a field. A line that is too long ends at its first one. */
function endOfLine(text: string, start: number): number {
  const plain = text.indexOf('\n', start);
  const first = plain < 0 ? text.length : plain;
  // Without a quote, a line break ends the line. Only the line is searched: the rest may be long, and have many.
  const inLine = text.slice(start, first).indexOf('"');
  if (inLine < 0) return first;
  const quote = start + inLine;
  let isQuoted = false;
  const last = Math.min(text.length, start + longestLine);
  for (let at = quote; at < last; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '"' && (isQuoted || text[at - 1] === '=')) isQuoted = !isQuoted;
    else if (char === '\n' && !isQuoted) return at;
  }
  return last === text.length && !isQuoted ? text.length : first;
}

/** The lines of a body with their numbers; comments and empty ones are left out. */
export function* linesOf(text: string): Generator<{ number: number; line: string }> {
  let number = 0;
  for (let at = 0; at < text.length;) {
    const end = endOfLine(text, at);
    number += 1;
    const line = text.slice(at, Math.min(end, at + longestLine + 1)).trim();
    if (line !== '' && !line.startsWith('#')) yield { number, line };
    at = end + 1;
  }
}

/** Splits at a separator that no backslash escapes and that no quotes enclose; at most `max` parts. */
function split(text: string, separator: string, max: number, hasQuotes: boolean): string[] {
  const parts: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < text.length && parts.length <= max; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (hasQuotes && char === '"' && (isQuoted || text[at - 1] === '=')) isQuoted = !isQuoted;
    else if (char === separator && !isQuoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

const plain = (text: string): string => text.replaceAll(/\\([,= \\])/g, '$1');

/** The index of the first blank that no backslash escapes and that no quotes enclose. */
function blankAt(text: string, start: number, hasQuotes: boolean): number {
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (hasQuotes && char === '"' && (isQuoted || text[at - 1] === '=')) isQuoted = !isQuoted;
    else if (isBlank(char) && !isQuoted) return at;
  }
  return -1;
}

function afterBlanks(text: string, at: number): number {
  let next = at;
  while (isBlank(text[next])) next += 1;
  return next;
}

const integer = /^[+-]?\d+[iu]$/;
const float = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const booleans: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['t', 'T', 'true', 'True', 'TRUE'].map((word) => [word, true])),
  ...Object.fromEntries(['f', 'F', 'false', 'False', 'FALSE'].map((word) => [word, false])),
};

/** Sets a field by the form of its value; returns what is wrong with it. */
function setField(point: InfluxPoint, name: string, value: string): string | undefined {
  if (value.startsWith('"')) {
    if (value.length < 2 || !value.endsWith('"')) return `the text of ${name} has no closing quote`;
    point.properties[name] = value.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
  } else if (Object.hasOwn(booleans, value)) point.states[name] = booleans[value] ?? false;
  else if (integer.test(value)) point.metrics[name] = Number(value.slice(0, -1));
  else if (float.test(value) && Number.isFinite(Number(value))) point.metrics[name] = Number(value);
  else return value === '' ? `${name} has no value` : `${value.slice(0, 50)} of ${name} is no number, boolean or quoted text`;
  return undefined;
}

const unusable: ReadonlySet<string> = new Set(['__proto__', 'constructor']);

/** Reads a line; returns what is wrong with it. */
export function parseLine(line: string): InfluxPoint | string {
  if (line.length > longestLine) return `a line has at most ${longestLine} characters`;
  const keyEnd = blankAt(line, 0, false);
  if (keyEnd < 0) return 'there are no fields';
  const [measured = '', ...tags] = split(line.slice(0, keyEnd), ',', maxTags, false);
  if (measured === '') return 'there is no measurement';
  if (tags.length > maxTags) return `there are more than ${maxTags} tags`;
  const point: InfluxPoint = { measurement: plain(measured), tags: {}, metrics: {}, states: {}, properties: {}, time: undefined };
  for (const tag of tags) {
    const [name = '', value, ...more] = split(tag, '=', 2, false).map(plain);
    if (name === '' || value === undefined || value === '' || more.length > 0) return `the tag ${tag.slice(0, 50)} is not name=value`;
    if (!unusable.has(name)) point.tags[name] = value;
  }
  const fieldsAt = afterBlanks(line, keyEnd);
  const fieldsEnd = blankAt(line, fieldsAt, true);
  const fields = split(line.slice(fieldsAt, fieldsEnd < 0 ? undefined : fieldsEnd), ',', maxFields, true);
  if (fields.length > maxFields) return `there are more than ${maxFields} fields`;
  for (const field of fields) {
    const at = split(field, '=', 1, false)[0]?.length ?? 0;
    const name = plain(field.slice(0, at));
    if (name === '' || at >= field.length) return `the field ${field.slice(0, 50)} is not name=value`;
    if (unusable.has(name)) return `no field may be named ${name}`;
    const problem = setField(point, name, field.slice(at + 1));
    if (problem !== undefined) return problem;
  }
  const time = fieldsEnd < 0 ? '' : line.slice(afterBlanks(line, fieldsEnd)).trim();
  if (time === '') return point;
  return /^-?\d{1,20}$/.test(time) ? { ...point, time } : `${time.slice(0, 50)} is no time`;
}
