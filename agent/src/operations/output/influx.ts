/** `influx`: line protocol, as Telegraf's exec input reads it. */
import { addMetric, OutputError, seriesMax, seriesName, type OutputReading } from './reading.ts';

/** Splits at a separator that is neither escaped nor inside double quotes; `quotes` says whether quotes count. */
function split(text: string, separator: string, quotes: boolean): string[] {
  const pieces: string[] = [];
  let piece = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\' && at + 1 < text.length) {
      piece += char + text.charAt(++at);
      continue;
    }
    if (quotes && char === '"') isQuoted = !isQuoted;
    if (char === separator && !isQuoted) {
      pieces.push(piece);
      piece = '';
    } else piece += char;
  }
  return [...pieces, piece];
}

const unescaped = (text: string): string => text.replaceAll(/\\([,= \\"])/g, '$1');

/** Parses a field value: number, text or boolean; undefined when invalid. */
function valueOf(text: string): number | string | boolean | undefined {
  const string = /^"(.*)"$/s.exec(text);
  if (string) return (string[1] ?? '').replaceAll(/\\(["\\])/g, '$1');
  if (/^(t|true)$/i.test(text)) return true;
  if (/^(f|false)$/i.test(text)) return false;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[iu]?$/i.test(text) ? Number(text.replace(/[iu]$/i, '')) : undefined;
}

export function readInflux(text: string): OutputReading {
  const reading: OutputReading & { metrics: Record<string, number> } = { metrics: {} };
  const states: Record<string, string | boolean> = {};
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  for (const line of lines) {
    const [series = '', ...rest] = split(line.trim(), ' ', true).filter((part) => part !== '');
    const [name = '', ...tags] = split(series, ',', false);
    const fields = rest[0];
    if (name === '' || fields === undefined) throw new OutputError(`This line of the output is not line protocol: ${line.slice(0, 200)}`);
    const labels = tags.map((tag) => split(tag, '=', false).map(unescaped)).map(([key = '', value = '']) => [key, value] as const);
    for (const field of split(fields, ',', true)) {
      const [key = '', ...more] = split(field, '=', true);
      const value = valueOf(more.join('='));
      if (key === '' || value === undefined)
        throw new OutputError(`The field ${field.slice(0, 200)} of the output has no value of the line protocol.`);
      const fullName = seriesName(`${unescaped(name)}_${unescaped(key)}`, labels);
      if (typeof value === 'number') addMetric(reading, fullName, value);
      else if (Object.keys(states).length < seriesMax / 4) states[fullName] = value;
    }
  }
  if (lines.length === 0) throw new OutputError('The output has no line.');
  if (Object.keys(states).length > 0) reading.states = states;
  if (reading.value === undefined) reading.value = Object.values(states)[0];
  return reading;
}
