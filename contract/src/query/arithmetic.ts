/** Evaluates functions and arithmetic in memory, with the limits and the rounding of the database. A null operand gives null. */
import { ApiError } from '../errors.ts';
import * as text from './text.ts';
import type { MathOp, Type, Value } from './tree.ts';
import { isInt64, microsOf, timestampOf, whole } from './values.ts';

const day = (v: string) => v.slice(0, 10);
/** Returns the time of day of a timestamp, or a time of day unchanged. */
const clock = (v: string) => (v.includes('T') ? v.slice(11, 26) : v);

type FilterFunction = (a: Value, b: Value, c: Value | undefined) => Value;

const ofTexts =
  (run: (a: string, b: string) => Value): FilterFunction =>
  (a, b) =>
    run(String(a), String(b));

const ofNumber =
  (run: (v: number) => number): FilterFunction =>
  (v) =>
    typeof v === 'bigint' ? v : run(Number(v));

// Types of operands were checked when the expression was bound, so the conversions change nothing.
const calls = new Map(
  Object.entries<FilterFunction>({
    contains: ofTexts((a, b) => a.includes(b)),
    startswith: ofTexts((a, b) => a.startsWith(b)),
    endswith: ofTexts((a, b) => a.endsWith(b)),
    length: ofTexts(text.length),
    indexof: ofTexts(text.indexOf),
    substring: (a, from, count) => text.substring(String(a), Number(from), count === undefined ? undefined : Number(count)),
    tolower: ofTexts(text.lower),
    toupper: ofTexts(text.upper),
    folded: ofTexts(text.folded),
    trim: ofTexts(text.trim),
    concat: ofTexts((a, b) => a + b),
    year: ofTexts((v) => Number(v.slice(0, 4))),
    month: ofTexts((v) => Number(v.slice(5, 7))),
    day: ofTexts((v) => Number(v.slice(8, 10))),
    hour: ofTexts((v) => Number(clock(v).slice(0, 2))),
    minute: ofTexts((v) => Number(clock(v).slice(3, 5))),
    second: ofTexts((v) => Number(clock(v).slice(6, 8))),
    fractionalseconds: ofTexts((v) => Number(clock(v).slice(9, 15)) / 1e6),
    date: ofTexts(day),
    time: ofTexts(clock),
    totaloffsetminutes: () => 0,
    totalseconds: ofNumber((v) => v),
    mindatetime: () => '0001-01-01T00:00:00.000000Z',
    maxdatetime: () => '9999-12-31T23:59:59.999999Z',
    floor: ofNumber(Math.floor),
    ceiling: ofNumber(Math.ceil),
    // Rounds half away from zero; Math.round turns -2.5 into -2.
    round: ofNumber((v) => Math.sign(v) * Math.floor(Math.abs(v) + 0.5)),
  }),
);

export function call(fn: string, args: readonly Value[], now: Date): Value {
  if (fn === 'now') return `${now.toISOString().slice(0, 23)}000Z`;
  if (args.includes(null)) return null;
  const run = calls.get(fn);
  if (!run) throw new Error(`No function is called ${fn}.`);
  const [a = null, b = null, c] = args;
  return run(a, b, c);
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
