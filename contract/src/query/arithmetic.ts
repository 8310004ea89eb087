/** Evaluates functions and arithmetic in memory, with the limits and the rounding of the database. A null operand gives null. */
import { ApiError } from '../errors.ts';
import * as text from './text.ts';
import type { MathOp, Type, Value } from './tree.ts';
import { isInt64, microsOf, timestampOf, whole } from './values.ts';

const day = (v: string) => v.slice(0, 10);
/** Returns the time of day of a timestamp, or a time of day unchanged. */
const clock = (v: string) => (v.includes('T') ? v.slice(11, 26) : v);

const calls = new Map<string, (a: never, b: never, c: never) => Value>(
  Object.entries({
    contains: (a: string, b: string) => a.includes(b),
    startswith: (a: string, b: string) => a.startsWith(b),
    endswith: (a: string, b: string) => a.endsWith(b),
    length: text.length,
    indexof: text.indexOf,
    substring: (a: string, from: number | bigint, count?: number | bigint) =>
      text.substring(a, Number(from), count === undefined ? undefined : Number(count)),
    tolower: text.lower,
    toupper: text.upper,
    trim: text.trim,
    concat: (a: string, b: string) => a + b,
    year: (v: string) => Number(v.slice(0, 4)),
    month: (v: string) => Number(v.slice(5, 7)),
    day: (v: string) => Number(v.slice(8, 10)),
    hour: (v: string) => Number(clock(v).slice(0, 2)),
    minute: (v: string) => Number(clock(v).slice(3, 5)),
    second: (v: string) => Number(clock(v).slice(6, 8)),
    fractionalseconds: (v: string) => Number(clock(v).slice(9, 15)) / 1e6,
    date: day,
    time: clock,
    totaloffsetminutes: () => 0,
    totalseconds: (v: number) => v,
    mindatetime: () => '0001-01-01T00:00:00.000000Z',
    maxdatetime: () => '9999-12-31T23:59:59.999999Z',
    floor: (v: number | bigint) => (typeof v === 'bigint' ? v : Math.floor(v)),
    ceiling: (v: number | bigint) => (typeof v === 'bigint' ? v : Math.ceil(v)),
    // Rounds half away from zero; Math.round turns -2.5 into -2.
    round: (v: number | bigint) => (typeof v === 'bigint' ? v : Math.sign(v) * Math.floor(Math.abs(v) + 0.5)),
  }),
);

export function call(fn: string, args: readonly Value[], now: Date): Value {
  if (fn === 'now') return `${now.toISOString().slice(0, 23)}000Z`;
  if (args.includes(null)) return null;
  const run = calls.get(fn);
  if (!run) throw new Error(`No function is called ${fn}.`);
  const [a, b, c] = args;
  return run(a as never, b as never, c as never);
}

function refuse(message: string): never {
  throw new ApiError('InvalidFilter', message, { target: '$filter' });
}

/** Evaluates `left op right`. `type` is the type of the result, `from` the type of the left side. */
export function evaluateArithmetic(op: MathOp, type: Type, from: Type, left: Value, right: Value): Value {
  if (left === null || right === null) return null;
  if (type === 'timestamp') return shift(String(left), Number(right) * (op === 'sub' ? -1 : 1));
  if (from === 'timestamp') return Number(microsOf(String(left)) - microsOf(String(right))) / 1e6;
  return type === 'bigint' ? wholeMath(op, BigInt(left), BigInt(right)) : decimalMath(op, Number(left), Number(right));
}

function shift(timestamp: string, seconds: number): string {
  return timestampOf(microsOf(timestamp) + BigInt(Math.round(seconds * 1e6))) ?? refuse('A time is outside of the years 1 to 9999.');
}

function wholeMath(op: MathOp, left: bigint, right: bigint): Value {
  if (right === 0n && (op === 'div' || op === 'mod')) refuse('A number is divided by zero.');
  const answers = {
    add: () => left + right,
    sub: () => left - right,
    mul: () => left * right,
    div: () => left / right,
    mod: () => left % right,
  };
  const answer = answers[op === 'divby' ? 'div' : op]();
  return isInt64(answer) ? whole(answer) : refuse('A number is out of range.');
}

function decimalMath(op: MathOp, left: number, right: number): Value {
  if (right === 0 && (op === 'div' || op === 'divby' || op === 'mod')) refuse('A number is divided by zero.');
  const answers = {
    add: () => left + right,
    sub: () => left - right,
    mul: () => left * right,
    div: () => left / right,
    divby: () => left / right,
    mod: () => left - Math.trunc(left / right) * right,
  };
  const answer = answers[op]();
  return Number.isFinite(answer) ? answer : refuse('A number is out of range.');
}
