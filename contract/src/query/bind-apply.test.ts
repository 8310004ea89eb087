import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { limits } from '../limits.ts';
import { bindQuery } from './bind-query.ts';
import { findSample, samples } from './cases.ts';
import { parseOptions } from './options.ts';
import { print } from './print.ts';
import { isNullable, type ApplyStep } from './tree.ts';

const bind = (apply: string, rest = '') => bindQuery(samples, parseOptions(`$apply=${encodeURIComponent(apply)}${rest}`), findSample);

function refusal(apply: string, rest = ''): ApiError {
  try {
    bind(apply, rest);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`Accepted: ${apply}`);
}

/** Prints a step with its trees. */
function describeStep(step: ApplyStep): string {
  switch (step.k) {
    case 'filter':
      return `filter ${print(step.where)}`;
    case 'orderby':
      return `orderby ${step.by.map(({ of, descending }) => `${print(of)}${descending ? ' desc' : ''}`).join()}`;
    case 'page':
      return `page ${step.top ?? ''} ${step.skip ?? ''}`.trim();
    case 'group': {
      const keys = step.keys.map(({ path, of }) => `${path.join('/')}=${print(of)}`);
      return `group ${keys.join()} ${step.aggregates.map((a) => `${a.name}=${a.method}(${a.of ? print(a.of) : ''}):${a.type}`).join()}`.trim();
    }
    case 'concat':
      return `concat ${step.of.map((apply) => apply.steps.map(describeStep).join('/')).join(' | ')}`;
  }
}

const steps = (apply: string): string[] => bind(apply).apply?.steps.map(describeStep) ?? [];

describe('steps', () => {
  it.each([
    ['identity', []],
    ['filter(active)/filter(size gt 1)', ['filter active', 'filter size gt 1']],
    ['groupby((name))', ['group name=name']],
    ['groupby((rollup($all,name,size)))', ['concat group name=name,size=size | group name=name | group']],
    ['groupby((active,rollup(name,size)))', ['concat group active=active,name=name,size=size | group active=active,name=name']],
    [
      'concat(aggregate($count as n),groupby((name))/top(2))/filter(n gt 1)',
      ['concat group  n=count():bigint | group name=name/page 2', 'filter n gt 1'],
    ],
    [
      'groupby( ( owner/name , size ) , aggregate( $count as n , total with sum as t ) )',
      ['group owner/name=owner/name,size=size n=count():bigint,t=sum(total):bigint'],
    ],
    [
      'aggregate(ratio with average as a,made with max as m,span with sum as s,size with sum as z)',
      ['group  a=average(ratio):decimal,m=max(made):timestamp,s=sum(span):duration,z=sum(size):bigint'],
    ],
    [
      'aggregate(size add ratio with min as low,siblings/$count with max as most)',
      ['group  low=min(size add ratio):decimal,most=max(siblings/$count):int'],
    ],
    ['compute(size mul 2 as twice)/filter(twice gt 4)/groupby((twice))', ['filter size mul 2 gt 4', 'group twice=size mul 2']],
    [
      'groupby((owner/name),aggregate(size with sum as s))/filter(s gt 1 and owner/name ne null)/orderby(s desc)/top(3)/skip(1)',
      ['group owner/name=owner/name s=sum(size):bigint', 'filter s gt 1 and owner/name ne null', 'orderby s desc', 'page 3', 'page  1'],
    ],
    ['GroupBy((name))/COMPUTE(length(name) as n)/Aggregate(n with Max as m)', ['group name=name', 'group  m=max(length(name)):int']],
    ["filter(siblings/any(s:s/name eq 'a/b)'))/groupby((flag))", ["filter siblings/any(s:s/name eq 'a/b)')", 'group flag=flag']],
  ])('%s', (apply, expected) => {
    expect(steps(apply)).toEqual(expected);
  });

  it('tells what the answer has', () => {
    const columns = (apply: string) => bind(apply).apply?.columns.map(({ path }) => path.join('/'));
    expect(columns('groupby((owner/name,size),aggregate($count as n))/compute(n add 1 as m)')).toEqual(['owner/name', 'size', 'n', 'm']);
    expect(columns('compute(size add 1 as more)')).toEqual(['more']);
    expect(bind('compute(size add 1 as more)').apply?.grouped).toBe(false);
    expect(bind('groupby((owner/parent/name))').joins.map((j) => j.path.join('/'))).toEqual(['owner', 'owner/parent']);
  });

  it('binds the options behind it to what it answers', () => {
    const query = bind(
      'groupby((owner/name),aggregate($count as n))',
      '&$filter=n gt 1 and owner/name ne null&$orderby=n desc&$select=n&$count=true',
    );
    expect([query.filter && print(query.filter), query.orderBy.map(({ of }) => print(of)), query.select, query.count]).toEqual([
      'n gt 1 and owner/name ne null',
      ['n'],
      ['n'],
      true,
    ]);
  });

  it('knows a sum of no rows, and a null key, as values that may be missing', () => {
    const [, , filter] =
      bind('groupby((size),aggregate($count as n,total with sum as t))/filter(n gt 1)/filter(t gt 1)').apply?.steps ?? [];
    expect(filter).toMatchObject({ where: { left: { nullable: true } } });
  });
});

describe('refusals', () => {
  it.each([
    ['', '', 0],
    ['groupby((name)', '', 14],
    ['groupby(name)', '', 8],
    ['filter(size)', 'TypeMismatch', 7],
    ['filter(foo eq 1)', 'UnknownProperty', 7],
    ['groupby((__proto__))', 'UnknownProperty', 9],
    ['groupby((owner/constructor))', 'UnknownProperty', 9],
    ['groupby((extra))', '', 9],
    ['groupby((secret))', '', 9],
    ['groupby((owner))', '', 9],
    ['groupby((siblings/name))', '', 9],
    ['groupby((name))/groupby((size))', 'UnknownProperty', 25],
    ['groupby((name))/compute(1 as name)', '', 24],
    ['groupby((owner/name))/compute(1 as owner)', '', 30],
    ['compute(1 as size)', '', 8],
    ['compute(1 as owner)', '', 8],
    ['compute(1 as x,2 as x)', '', 15],
    ['aggregate(flag with max as x)', 'TypeMismatch', 10],
    ['aggregate(ownerId with min as x)', 'TypeMismatch', 10],
    ['aggregate(name with sum as x)', 'TypeMismatch', 10],
    ['aggregate($count as a,$count as a)', '', 22],
    ['top(1.5)', '', 0],
  ])('%s', (apply, code, offset) => {
    const error = refusal(apply);
    expect(error).toMatchObject({ code: 'InvalidApply', status: 400, target: '$apply' });
    expect(error.details[0]).toMatchObject({ code: code === '' ? 'InvalidApply' : code, target: `$apply:${offset}` });
  });

  it.each([
    'concat(identity,identity)',
    'groupby((rollup(name,size),rollup($all,active)))',
    'nest(identity as n)',
    'join(owner as o)',
    'outerjoin(owner as o)',
    'groupby((name),filter(active)/aggregate($count as n))',
    'groupby((name),aggregate($count as n)/top(1))',
    'groupby((name),top(1))',
    'aggregate(size with sum from name as s)',
    'aggregate(size with Own.median as s)',
    'aggregate(forecast as f)'.replace('forecast', 'size'),
    'expand(owner)',
    'Own.step()',
  ])('answers 501 to %s', (apply) => {
    expect(refusal(apply)).toMatchObject({ code: 'NotImplemented', status: 501, target: '$apply' });
  });

  it('keeps a chain of computed values from growing without limit', () => {
    const chain = (n: number) =>
      ['compute(size add 1 as a0)', ...Array.from({ length: n }, (_, i) => `compute(a${i} add a${i} as a${i + 1})`)].join('/');
    expect(bind(chain(4)).apply?.columns).toHaveLength(5);
    expect(refusal(chain(9))).toMatchObject({ code: 'TooComplex', status: 400 });
    expect(refusal(chain(limits.applySteps))).toMatchObject({ code: 'TooComplex' });
  });

  it('answers any text with a tree or a refusal', () => {
    const words = [
      'groupby(',
      'aggregate(',
      'filter(',
      'compute(',
      'top(',
      '(',
      ')',
      '/',
      ',',
      'name',
      'size',
      'owner/name',
      ' with ',
      'sum',
      ' as ',
      'x',
      '$count',
      ' eq ',
      '1',
      "'a'",
      'null',
      'siblings/any(s:',
      's/size',
      '@p',
      'not ',
      '-',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 14 }), (parts) => {
        try {
          bind(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect([400, 501]).toContain((error as ApiError).status);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('limits', () => {
  const many = (n: number, part: (i: number) => string, by = ',') => Array.from({ length: n }, (_, i) => part(i)).join(by);
  const keys = ['name', 'size', 'total', 'ratio', 'flag', 'made'];
  const columns = limits.aggregates + limits.groupKeys;

  it.each([
    ['transformations', limits.applySteps, (n: number) => many(n, () => 'identity', '/'), 'More than 20 transformations are given.'],
    [
      'grouping properties',
      limits.groupKeys,
      (n: number) => `groupby((${keys.slice(0, n).join(',')}))`,
      'More than 5 grouping properties are given in one transformation.',
    ],
    [
      'aggregates',
      limits.aggregates,
      (n: number) => `aggregate(${many(n, (i) => `$count as n${i}`)})`,
      'More than 10 aggregates are given in one transformation.',
    ],
    ['computed values', columns, (n: number) => `compute(${many(n, (i) => `${i} as c${i}`)})`, 'More than 15 values are computed.'],
    ['characters of a name', 60, (n: number) => `aggregate($count as ${'n'.repeat(n)})`, 'A name is longer than 60 characters.'],
    ['rows to skip', limits.skipMax, (n: number) => `skip(${n})`, '$skip is at most 100000.'],
    ['sort keys', limits.orderByKeys, (n: number) => `orderby(${many(n, () => 'id')})`, 'More than 5 sort keys are given.'],
  ])('of %s: %i and no more', (_name, limit, apply, message) => {
    expect(() => bind(apply(limit))).not.toThrow();
    expect(refusal(apply(limit + 1))).toMatchObject({ code: 'TooComplex', status: 400, target: '$apply', message });
  });

  it('of $top are none, for the page has its own', () => {
    expect(bind(`top(${limits.skipMax + 1})`).apply?.steps).toEqual([{ k: 'page', top: limits.skipMax + 1 }]);
  });

  it('of parts count what a computed name stands for', () => {
    // `size add 1` has three nodes. Each comparison adds five: itself, three for `more`, and `1`. The `or` adds one.
    const uses = (n: number) => `compute(size add 1 as more)/filter(${many(n, () => 'more eq 1', ' or ')})`;
    const limit = Math.floor((limits.treeNodes - 3 - 1) / 5);
    expect(() => bind(uses(limit))).not.toThrow();
    expect(refusal(uses(limit + 1))).toMatchObject({ code: 'TooComplex' });
  });
});

describe('what a grouping leaves', () => {
  it.each([
    ['groupby((name,name))', "'name' is grouped by twice."],
    ['groupby((owner/name,size,owner/name))', "'owner/name' is grouped by twice."],
    ['groupby((owner/name),aggregate($count as owner))', "The name 'owner' is in use already."],
    ['groupby((name))/filter(siblings/any())', 'Groups have no relations.'],
    ['groupby((extra))', "The property 'extra' cannot be used in $apply."],
    ['aggregate(size with countdistinct as n)/filter(siblings/$count gt 1)', 'Groups have no relations.'],
  ])('%s: %s', (apply, message) => {
    expect(refusal(apply).message).toBe(message);
  });

  it.each([
    ['&$select=size', '$select', "'size' is not a property of what $apply answers."],
    ['&$expand=owner', '$expand', 'Groups have no relations to expand.'],
    ['&$filter=size gt 1', '$filter', "'size' is not a property of what $apply answers."],
  ])('nothing else can be named: %s', (rest, target, message) => {
    expect(refusal('groupby((name))', rest)).toMatchObject({ target, message });
  });

  it('may be missing where a key or what is added up may be', () => {
    const nullable = (apply: string) => {
      const last = bind(`${apply}/orderby(x)`).apply?.steps.at(-1);
      return last?.k === 'orderby' ? last.by.map(({ of }) => isNullable(of)) : [];
    };
    expect(nullable('aggregate(id with sum as x)')).toEqual([true]);
    expect(nullable('groupby((name),aggregate(id with sum as x))')).toEqual([false]);
    expect(nullable('groupby((name),aggregate(size with sum as x))')).toEqual([true]);
    expect(nullable('groupby((name),aggregate(size with countdistinct as x))')).toEqual([false]);
    expect(nullable('aggregate($count as x)')).toEqual([false]);
  });

  it('has the type of its method', () => {
    expect(steps('aggregate(name with countdistinct as n,size with average as a,size with min as m)')).toEqual([
      'group  n=countdistinct(name):bigint,a=average(size):decimal,m=min(size):int',
    ]);
  });
});
