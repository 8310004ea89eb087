/** The mapping of a source: lines that say where values find their place in a packet, such as `Metrics.Temperature = {data.temp}`. */
import { parseTemplate, type ValueTemplate } from './template.ts';

export interface MappedField {
  part: 'Metrics' | 'States' | 'Properties';
  name: ValueTemplate;
  value: ValueTemplate;
}

export interface Mapping {
  /** The path of the list whose items become packets; by default the body is one item, or a list of them. */
  items?: string;
  time?: ValueTemplate;
  /** By which a repetition is known, so that it is stored once. */
  id?: ValueTemplate;
  value?: ValueTemplate;
  fields: readonly MappedField[];
}

const maxLines = 100;
const parts = ['Metrics', 'States', 'Properties'] as const;
export const numeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const targets = 'Items, Time, Id, Value, Metrics.x, States.x or Properties.x';

/** Parses the lines of a mapping; returns a text that names the first line that is wrong, and why. */
export function parseMapping(text: string): Mapping | string {
  const lines = text.split('\n').map((line) => line.trim());
  if (lines.length > maxLines) return `A mapping has at most ${maxLines} lines.`;
  const mapping: Mapping & { fields: MappedField[] } = { fields: [] };
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const problem = addLine(mapping, line);
    if (problem !== undefined) return `Line ${index + 1}: ${problem}`;
  }
  return mapping;
}

function addLine(mapping: Mapping & { fields: MappedField[] }, line: string): string | undefined {
  const at = line.indexOf('=');
  if (at < 0) return 'write it as Metrics.Temperature = {data.temp}.';
  const [target, written] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  if (written === '') return 'something stands behind the =.';
  if (target === 'Items') {
    mapping.items = written.replace(/^\{(.+)\}$/, '$1');
    return undefined;
  }
  const value = parseTemplate(written);
  if (typeof value === 'string') return value;
  const isFixed = value.every((part) => typeof part === 'string');
  // A fixed time refuses everything, and with a fixed id all but the first item is a repetition.
  if (isFixed && (target === 'Time' || target === 'Id' || (target.startsWith('Metrics.') && !numeric.test(written))))
    return `${written} is no name in braces. Write {${written}} for the value at that path.`;
  if (target === 'Time' || target === 'Id' || target === 'Value') {
    mapping[target === 'Time' ? 'time' : target === 'Id' ? 'id' : 'value'] = value;
    return undefined;
  }
  const part = parts.find((name) => target.startsWith(`${name}.`));
  if (part === undefined || target.length === part.length + 1)
    return `${target || 'nothing'} is no place in a packet; there are ${targets}.`;
  const name = parseTemplate(target.slice(part.length + 1));
  if (typeof name === 'string') return name;
  mapping.fields.push({ part, name, value });
  return undefined;
}
