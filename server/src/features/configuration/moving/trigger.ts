/** Simple expressions of Zabbix triggers, such as `avg(/Linux/system.cpu.load,5m)>2 and last(/Linux/agent.ping)=0`, as conditions. */
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import { longestWindowSeconds, type Condition } from '@cloudfit/contract/rules/schema.ts';
import { NoCounterpart } from './reading.ts';

/** Left operands, by their numbers in rules. */
export const operand = { deviceName: 31, deviceTag: 32, metric: 62, silence: 70, average: 72, minimum: 73, maximum: 74, sum: 75 } as const;

const windows: Readonly<Record<string, number>> = { avg: operand.average, min: operand.minimum, max: operand.maximum, sum: operand.sum };
const comparisons: Readonly<Record<string, number>> = {
  '=': operatorId.equals,
  '<>': operatorId.notEquals,
  '>': operatorId.greaterThan,
  '<': operatorId.lessThan,
  '>=': operatorId.greaterThanOrEqual,
  '<=': operatorId.lessThanOrEqual,
};
const factors: Readonly<Record<string, number>> = {
  '': 1,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
  K: 1_024,
  M: 1_048_576,
  G: 1_073_741_824,
  T: 1_099_511_627_776,
};

/** A number with a suffix of time or size. */
function numberIn(text: string): number | undefined {
  const parts = /^(-?\d+(?:\.\d+)?)([smhdwKMGT]?)$/.exec(text.trim());
  return parts ? Number(parts[1]) * (factors[parts[2] ?? ''] ?? 1) : undefined;
}

/** Replaces macros that have a value; those of a context have the value without it. */
export function withMacros(text: string, macros: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{\$([A-Z0-9_.]+)(?::[^}]*)?\}/g, (whole, name: string) => macros.get(`{$${name}}`) ?? whole);
}

/** `{host:key.avg(5m)}`, or `{avg(5m)}` within an item. */
const earlier = /\{(?:([^{}:$#][^{}:]*):((?:[^{}[\]"]|\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+?)\.)?([a-z]+)\(((?:\{\$[^{}]*\}|[^(){}])*)\)\}/g;

/** An expression as Zabbix 5.2 and earlier wrote it in the form of later versions; `item` is the one that has the trigger. */
export function laterForm(expression: string, item?: { host: string; key: string }): string {
  // Those versions took at most 2,048 characters; of more, the search could take long.
  if (expression.length > 4_096) return expression;
  return expression.replaceAll(earlier, (whole, host: string | undefined, key: string | undefined, name: string, parameters: string) => {
    const [of, at] = [host ?? item?.host, key ?? item?.key];
    if (of === undefined || at === undefined) return whole;
    // Of `last`, 0 and nothing are the latest value.
    const rest = parameters === '' || (name === 'last' && parameters === '0') ? '' : `,${parameters}`;
    return `${name}(/${of}/${at}${rest})`;
  });
}

/** Splits at `and` and `or` outside of brackets and quotes. */
function partsOf(text: string): { word: string; part: string }[] {
  const parts: { word: string; part: string }[] = [];
  let [depth, isQuoted, begins, word] = [0, false, 0, 'and'];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '"' && text[at - 1] !== '\\') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    const next = depth === 0 ? /^\s(and|or)\s/.exec(text.slice(at, at + 5)) : null;
    if (!next) continue;
    parts.push({ word, part: text.slice(begins, at).trim() });
    word = next[1] ?? 'and';
    begins = at + next[0].length;
    at = begins - 1;
  }
  return [...parts, { word, part: text.slice(begins).trim() }];
}

const comparison = /^(\w+)\(\/([^/]*)\/([^\s].*)\)\s*(<>|>=|<=|=|>|<)\s*(\S+)$/;

/** The key of an item and what follows it: commas within its brackets and quotes belong to it. */
function keyAndRest(text: string): [key: string, rest: string[]] {
  let [depth, isQuoted] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '"' && text[at - 1] !== '\\') isQuoted = !isQuoted;
    else if (!isQuoted && sign === '[') depth += 1;
    else if (!isQuoted && sign === ']') depth -= 1;
    else if (!isQuoted && depth === 0 && sign === ',')
      return [
        text.slice(0, at),
        text
          .slice(at + 1)
          .split(',')
          .map((entry) => entry.trim()),
      ];
  }
  return [text, []];
}

/** The host or template that the expression is about, and its conditions. Throws `NoCounterpart` for everything that is not simple. */
export function conditionsOf(expression: string): { of: string; groups: Condition[][] } {
  const groups: Condition[][] = [];
  const hosts = new Set<string>();
  for (const { word, part } of partsOf(expression.replaceAll(/\s+/g, ' ').trim())) {
    const [, name = '', host = '', inner = '', sign = '', right = ''] = comparison.exec(part) ?? [];
    if (name === '') throw new NoCounterpart('trigger-expression', part.slice(0, 120));
    hosts.add(host);
    const [key, rest] = keyAndRest(inner);
    const number = numberIn(right);
    const seconds = rest.length === 1 ? numberIn(rest[0] ?? '') : undefined;
    if (number === undefined || key === '' || key.length > 200) throw new NoCounterpart('trigger-expression', part.slice(0, 120));
    const common = { Type: 'And' as const, Operator: comparisons[sign] ?? 0, RightOperand: String(number) };
    const isLast = name === 'last' && (rest.length === 0 || (rest.length === 1 && ['', '#1'].includes(rest[0] ?? '')));
    const window = windows[name];
    if (groups.length === 0 || word === 'or') groups.push([]);
    if (isLast) groups.at(-1)?.push({ ...common, LeftOperand: operand.metric, LeftOperandFieldName: key });
    else if (window !== undefined && seconds !== undefined && seconds >= 1 && seconds <= longestWindowSeconds)
      groups.at(-1)?.push({ ...common, LeftOperand: window, LeftOperandFieldName: key, WindowSeconds: seconds });
    else if (name === 'nodata' && sign === '=' && number === 1 && seconds !== undefined && seconds >= 1)
      groups.at(-1)?.push({ Type: 'And', LeftOperand: operand.silence, Operator: operatorId.greaterThan, RightOperand: String(seconds) });
    else throw new NoCounterpart('trigger-expression', part.slice(0, 120));
  }
  const [of = '', another] = hosts;
  if (another !== undefined) throw new NoCounterpart('trigger-hosts', [...hosts].join(', '));
  return { of, groups };
}
