/** Random bound trees and rows of the samples, for properties of print, memory and database. */
import fc from 'fast-check';
import { bindFilter } from '../bind-filter.ts';
import { findSample, ownerRows, samples, type SampleRow } from '../cases.ts';
import { type CompareOp, type Literal, type MathOp, type Path, type Tree, type Type, typeOf, type Value } from '../tree.ts';

const someText = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'Alpha', '%', '_', '\\', "'", ' a ', '\u00e9', '\u00c9', '\u{1f600}', '\uffee', '\u0130', 'null'),
  fc.string({ unit: fc.constantFrom('a', 'B', '%', '_', '\\', "'", ' ', '\u00df', '\u03a3', '\u{1f600}'), maxLength: 4 }),
);
const someInt = fc.oneof(fc.integer({ min: -12, max: 12 }), fc.constantFrom(2_147_483_647, -2_147_483_648));
const someBig = fc.oneof(someInt, fc.constantFrom(5_000_000_000, -5_000_000_000, 9_007_199_254_740_991));
const someDecimal = fc.oneof(
  fc.integer({ min: -12, max: 12 }).map((n) => n / 4),
  fc.constantFrom(0.1, 1e-7, -1e10),
);
const pad = (n: number, width = 2) => String(n).padStart(width, '0');
const someDate = fc
  .tuple(fc.constantFrom(1969, 1970, 2024, 2026), fc.constantFrom(1, 2, 12), fc.constantFrom(1, 28))
  .map(([y, m, d]) => `${y}-${pad(m)}-${pad(d)}`);
const someClock = fc
  .tuple(fc.constantFrom(0, 9, 23), fc.constantFrom(0, 30, 59), fc.constantFrom(0, 59), fc.constantFrom(0, 500_000, 123_456))
  .map(([h, m, s, f]) => `${pad(h)}:${pad(m)}:${pad(s)}.${pad(f, 6)}`);
const someTime = fc.tuple(someDate, someClock).map(([d, c]) => `${d}T${c}Z`);
const someSeconds = fc.constantFrom(0, 1, 300, 3600, 86_400, 360_000);

function literalOf(type: Type, value: fc.Arbitrary<Value>): fc.Arbitrary<Literal> {
  return value.map((v) => ({ k: 'literal', type, value: v }));
}

const literals = {
  text: literalOf('text', someText),
  int: literalOf('int', someInt),
  decimal: literalOf('decimal', someDecimal),
  boolean: literalOf('boolean', fc.boolean()),
  timestamp: literalOf('timestamp', someTime),
  date: literalOf('date', someDate),
  timeOfDay: literalOf('timeOfDay', someClock),
  duration: literalOf('duration', someSeconds),
  guid: literalOf('guid', fc.constantFrom(...ownerRows.map((o) => o.ownerId))),
};

function pathOf(...names: string[]): fc.Arbitrary<Path> {
  const tree = bindFilter(samples, `${names.join('/')} eq null`, findSample);
  if (tree.k !== 'compare' || tree.left.k !== 'path') throw new Error('A path was expected.');
  return fc.constant(tree.left);
}

type Arbitraries = Record<'text' | 'number' | 'whole' | 'timestamp' | 'date' | 'timeOfDay' | 'duration' | 'guid' | 'condition', Tree>;

const arithmetic = fc.constantFrom<MathOp>('add', 'sub', 'mul', 'div', 'divby', 'mod');
const comparison = fc.constantFrom<CompareOp>('eq', 'ne', 'gt', 'ge', 'lt', 'le');

function call(fn: string, type: Type, ...args: fc.Arbitrary<Tree>[]): fc.Arbitrary<Tree> {
  return fc.tuple(...args).map((values) => ({ k: 'call', fn, type, args: values }));
}

function math(op: MathOp, left: Tree, right: Tree): Tree {
  const decimal = op === 'divby' || [left, right].some((side) => 'type' in side && side.type === 'decimal');
  return { k: 'math', op, type: decimal ? 'decimal' : 'bigint', left, right };
}

function negate(of: Tree): Tree {
  return { k: 'negate', type: 'type' in of && of.type !== 'int' ? of.type : 'bigint', of };
}

/** Joins the parts as the binder does: flat, so that an `and` never contains an `and`. */
function chain(k: 'and' | 'or', parts: readonly Tree[]): Tree {
  return { k, of: parts.flatMap((part) => (part.k === k ? part.of : [part])) };
}

function comparing(op: CompareOp, [left, right]: readonly [Tree, Tree]): Tree {
  return { k: 'compare', op, left, right };
}

function listed(left: fc.Arbitrary<Tree>, item: fc.Arbitrary<Literal>): fc.Arbitrary<Tree> {
  return fc.tuple(left, fc.array(fc.option(item, { freq: 5 }), { maxLength: 4 })).map(([l, values]): Tree => ({
    k: 'in',
    left: l,
    values: values.map((value) => value ?? { k: 'literal', type: typeOf(l), value: null }),
  }));
}

/** `rows/any(x:...)`: the condition uses the row of the lambda and the outer row. */
const lambdas: fc.Arbitrary<Tree> = fc
  .tuple(
    fc.constantFrom('siblings', 'owner/samples', 'owner/parent/samples'),
    fc.constantFrom(
      '',
      '()',
      'any(x:{x})',
      'all(x:{x})',
      'any(x:{x} and {x})',
      'all(x:{x} or {x})',
      'any(x:x/siblings/any(y:{y} and {x}))',
      'all(x:x/owner/samples/all(y:{y} or {x}))',
    ),
    fc.array(
      fc.constantFrom(
        '{v}/size gt 0',
        "contains({v}/note,'a')",
        '{v}/flag',
        'not {v}/flag',
        '{v}/size lt size',
        '{v}/owner/name ne name',
        '{v}/made gt made',
        '{v}/total eq null',
        '{v}/siblings/$count gt 3',
        'not ({v}/ratio gt ratio)',
      ),
      { minLength: 4, maxLength: 4 },
    ),
  )
  .map(([path, form, parts]) => {
    let n = 0;
    const inside = form.replaceAll(/\{(\w)\}/g, (_, v: string) => (parts[n++ % parts.length] ?? '').replaceAll('{v}', v));
    const text = form === '' ? `${path}/$count gt 2` : form === '()' ? `${path}/any()` : `${path}/${inside}`;
    return bindFilter(samples, text, findSample);
  });

const trees = fc.letrec<Arbitraries>((tie) => {
  const depth = { maxDepth: 3 };
  const same = (name: keyof Arbitraries) => fc.tuple(tie(name), tie(name));
  return {
    text: fc.oneof(
      depth,
      pathOf('name'),
      pathOf('note'),
      literals.text,
      pathOf('owner', 'name'),
      pathOf('owner', 'parent', 'city'),
      call('tolower', 'text', tie('text')),
      call('toupper', 'text', tie('text')),
      call('trim', 'text', tie('text')),
      call('concat', 'text', tie('text'), tie('text')),
      call('substring', 'text', tie('text'), tie('whole')),
      call('substring', 'text', tie('text'), tie('whole'), tie('whole')),
    ),
    whole: fc.oneof(
      depth,
      pathOf('size'),
      literals.int,
      pathOf('total'),
      call('length', 'int', tie('text')),
      call('indexof', 'int', tie('text'), tie('text')),
      call('year', 'int', tie('timestamp')),
      call('month', 'int', tie('date')),
      call('second', 'int', tie('timestamp')),
      call('hour', 'int', tie('timeOfDay')),
    ),
    number: fc.oneof(
      depth,
      tie('whole'),
      pathOf('ratio'),
      literals.decimal,
      fc.tuple(arithmetic, tie('number'), tie('number')).map(([op, l, r]) => math(op, l, r)),
      tie('number').map(negate),
      call('fractionalseconds', 'decimal', tie('timestamp')),
      call('totalseconds', 'decimal', tie('duration')),
      fc
        .tuple(fc.constantFrom('round', 'floor', 'ceiling'), pathOf('ratio'))
        .map(([fn, of]): Tree => ({ k: 'call', fn, type: 'decimal', args: [of] })),
    ),
    timestamp: fc.oneof(
      depth,
      pathOf('made'),
      literals.timestamp,
      fc
        .tuple(fc.constantFrom<MathOp>('add', 'sub'), tie('timestamp'), tie('duration'))
        .map(([op, left, right]): Tree => ({ k: 'math', op, type: 'timestamp', left, right })),
    ),
    date: fc.oneof(depth, literals.date, call('date', 'date', tie('timestamp'))),
    timeOfDay: fc.oneof(depth, literals.timeOfDay, call('time', 'timeOfDay', tie('timestamp'))),
    duration: fc.oneof(
      depth,
      pathOf('span'),
      literals.duration,
      same('timestamp').map(([left, right]): Tree => ({ k: 'math', op: 'sub', type: 'duration', left, right })),
    ),
    guid: fc.oneof(depth, pathOf('ownerId'), literals.guid),
    condition: fc.oneof(
      depth,
      ...(['text', 'number', 'timestamp', 'date', 'timeOfDay', 'duration', 'guid'] as const).map((name) =>
        fc.tuple(comparison, same(name)).map(([op, sides]) => comparing(op, sides)),
      ),
      pathOf('active'),
      pathOf('flag'),
      literals.boolean,
      fc
        .tuple(fc.constantFrom('contains', 'startswith', 'endswith'), tie('text'), tie('text'))
        .map(([fn, a, b]): Tree => ({ k: 'call', fn, type: 'boolean', args: [a, b] })),
      tie('condition').map((of): Tree => ({ k: 'not', of })),
      fc
        .tuple(fc.constantFrom<'and' | 'or'>('and', 'or'), fc.array(tie('condition'), { minLength: 2, maxLength: 3 }))
        .map(([k, parts]) => chain(k, parts)),
      fc.tuple(comparison, same('condition')).map(([op, sides]) => comparing(op, sides)),
      fc
        .tuple(fc.constantFrom<CompareOp>('eq', 'ne'), pathOf('note'))
        .map(([op, left]) => comparing(op, [left, { k: 'literal', type: 'text', value: null }])),
      lambdas,
      listed(tie('text'), literals.text),
      listed(tie('whole'), literals.int),
      listed(tie('guid'), literals.guid),
    ),
  };
});

export const anyCondition: fc.Arbitrary<Tree> = trees.condition;

function orNull<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.option(value, { freq: 4, nil: null });
}

export const anyRow: fc.Arbitrary<SampleRow> = fc
  .record({
    id: fc.constant(0),
    name: someText,
    active: fc.boolean(),
    note: orNull(someText),
    size: orNull(someInt),
    total: orNull(someBig),
    ratio: orNull(someDecimal),
    flag: orNull(fc.boolean()),
    made: orNull(someTime),
    span: orNull(fc.constantFrom('00:00:01', '00:05:00', '100:00:00')),
    owner: orNull(fc.constantFrom(...ownerRows)),
  })
  .map((row) => ({ ...row, ownerId: row.owner?.ownerId ?? null }));
