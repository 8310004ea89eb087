import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { limits } from '../limits.ts';
import { bindFilter } from './bind-filter.ts';
import { findSample, samples } from './cases.ts';
import { print } from './print.ts';

const bind = (text: string) => bindFilter(samples, text, findSample);

function refusal(text: string): ApiError {
  try {
    bind(text);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`Accepted: ${text}`);
}

const path = (name: string, type: string, nullable = true) => ({ k: 'path', path: [name], type, nullable });
const int = (value: number) => ({ k: 'literal', type: 'int', value });

describe('trees', () => {
  it('binds and tighter than or, in any order', () => {
    const active = path('active', 'boolean', false);
    const flag = path('flag', 'boolean');
    expect(bind('active or flag and active')).toEqual({ k: 'or', of: [active, { k: 'and', of: [flag, active] }] });
    expect(bind('active and flag or active')).toEqual({ k: 'or', of: [{ k: 'and', of: [active, flag] }, active] });
  });

  it('takes not before and, eq before and', () => {
    expect(bind("not contains(name,'a') and size eq 1")).toEqual({
      k: 'and',
      of: [
        {
          k: 'not',
          of: {
            k: 'call',
            fn: 'contains',
            type: 'boolean',
            args: [path('name', 'text', false), { k: 'literal', type: 'text', value: 'a' }],
          },
        },
        { k: 'compare', op: 'eq', left: path('size', 'int'), right: int(1) },
      ],
    });
  });

  it('evaluates from left to right, products first', () => {
    const sub = (left: unknown, right: unknown) => ({ k: 'math', op: 'sub', type: 'bigint', left, right });
    expect(bind('10 sub 4 sub 3 eq size')).toEqual({
      k: 'compare',
      op: 'eq',
      left: sub(sub(int(10), int(4)), int(3)),
      right: path('size', 'int'),
    });
    expect(bind('10 sub 4 mul 3 eq size')).toMatchObject({ left: { op: 'sub', right: { op: 'mul' } } });
  });

  it('takes relations before equality', () => {
    expect(bind('1 lt 2 eq true')).toMatchObject({ op: 'eq', left: { op: 'lt' } });
    expect(bind('true eq 1 lt 2')).toMatchObject({ op: 'eq', right: { op: 'lt' } });
  });

  it('reads words without case, and names with it', () => {
    expect(bind("NAME eq 'a'".replace('NAME', 'name'))).toEqual(bind("name EQ 'a'"));
    expect(refusal("Name eq 'a'").details[0]?.code).toBe('UnknownProperty');
  });

  it('puts in the values of aliases, and null for one that is not given', () => {
    const aliases = new Map([
      ['p', "'Alpha'"],
      ['n', '5'],
    ]);
    const tree = bindFilter(samples, 'name eq @p and size in (@n,@none)', findSample, aliases);
    expect(print(tree)).toBe("name eq 'Alpha' and size in (5,null)");
  });

  it('takes expressions and lists as the values of aliases', () => {
    const aliases = new Map([
      ['e', 'length(name) gt @n'],
      ['n', '3'],
      ['list', "('a','b')"],
      ['round', 'not @round'],
    ]);
    expect(print(bindFilter(samples, 'active or @e', findSample, aliases))).toBe('active or length(name) gt 3');
    expect(print(bindFilter(samples, 'name in @list', findSample, aliases))).toBe("name in ('a','b')");
    expect(() => bindFilter(samples, '@round', findSample, aliases)).toThrow(/nested deeper/);
  });

  it('says of a fault in an alias where the alias is used', () => {
    for (const text of ['foo eq 1', 'name eq eq', '1 eq']) {
      try {
        bindFilter(samples, 'active and @p', findSample, new Map([['p', text]]));
        expect.unreachable();
      } catch (error) {
        expect((error as ApiError).details[0]?.target).toBe('$filter:11');
      }
    }
  });
});

describe('refusals', () => {
  it('has the error form of the API', () => {
    const error = refusal("name eq 'a' and foo eq 1");
    expect(error).toMatchObject({ code: 'InvalidFilter', status: 400, target: '$filter' });
    expect(error.details).toEqual([
      { code: 'UnknownProperty', message: "Could not find a property named 'foo' on type 'samples'.", target: '$filter:16' },
    ]);
  });

  it.each([
    ['name eq', 'InvalidFilter', 7],
    ['(name eq 1', 'InvalidFilter', 10],
    ["name eq 'abc", 'InvalidFilter', 8],
    ['', 'InvalidFilter', 0],
    ['name = 1', 'InvalidFilter', 5],
    ['size eq 5x', 'InvalidFilter', 8],
    ['__proto__ eq 1', 'UnknownProperty', 0],
    ['constructor/name eq 1', 'UnknownProperty', 0],
    ['owner/constructor eq 1', 'UnknownProperty', 0],
    ['owner/toString/x eq 1', 'UnknownProperty', 0],
    ["active and secret eq 'x'", 'InvalidFilter', 11],
    ["extra eq 'x'", 'InvalidFilter', 0],
    ["name/first eq 'x'", 'InvalidFilter', 0],
    ["owner/samples/name eq 'x'", 'InvalidFilter', 0],
    ['siblings/all()', 'InvalidFilter', 0],
    ['siblings/any(s:s)', 'InvalidFilter', 15],
    ['siblings/any(s:s eq null)', 'InvalidFilter', 15],
    ['siblings/any(s:s/foo eq 1)', 'UnknownProperty', 15],
    ['siblings/any(s:s/secret eq null)', 'InvalidFilter', 15],
    ['siblings/any(s:s/size)', 'TypeMismatch', 15],
    ['siblings/any(s:s/siblings/any(s:s/active))', 'InvalidFilter', 15],
    ['siblings/any(s/active)', 'InvalidFilter', 14],
    ['siblings/any(s:)', 'InvalidFilter', 15],
    ['owner/any(o:o/name eq null)', 'InvalidFilter', 0],
    ['name/any()', 'InvalidFilter', 0],
    ['foo/any()', 'UnknownProperty', 0],
    ['size/$count eq 1', 'InvalidFilter', 0],
    ['constructor/any()', 'UnknownProperty', 0],
    ['s/active', 'UnknownProperty', 0],
    ['name', 'TypeMismatch', 0],
    ['size add 1', 'TypeMismatch', 5],
    ["not name eq 'x'", 'TypeMismatch', 4],
    ['name eq 5', 'TypeMismatch', 5],
    ["size eq '5'", 'TypeMismatch', 5],
    ["ownerId eq 'abc'", 'TypeMismatch', 8],
    ["made gt 'yesterday'", 'TypeMismatch', 5],
    ['made gt 2026-02-30T00:00:00Z', 'TypeMismatch', 8],
    ['made gt 2026-01-01T25:00:00Z', 'TypeMismatch', 8],
    ['made gt 2026-01-01T00:00:00', 'TypeMismatch', 8],
    ['total lt 9223372036854775808', 'TypeMismatch', 9],
    ['ratio lt 1e999', 'TypeMismatch', 9],
    ["size in (1,'a')", 'TypeMismatch', 11],
    ["name add 'x' eq 'y'", 'TypeMismatch', 5],
    ['made add 5 gt now()', 'TypeMismatch', 5],
    ["contains(size,'5')", 'TypeMismatch', 0],
    ['contains(name)', 'InvalidFilter', 0],
    ['active and soundex(name)', 'InvalidFilter', 11],
  ])('%s', (text, code, offset) => {
    const error = refusal(text);
    expect(error.code).toBe('InvalidFilter');
    expect(error.details[0]).toMatchObject({ code, target: `$filter:${offset}` });
  });

  it.each([
    ['(name eq 1', "Unexpected end of the text at position 10; expected an operator, ')'."],
    ['name eq', "Unexpected end of the text at position 7; expected a value, '(', a property."],
    ['name = 1', "Unexpected '=' at position 5; expected an operator, the end."],
    ['size eq 5x', "Unexpected '5x' at position 8; expected a value, '(', a property."],
    ['contains(name name)', "Unexpected 'name' at position 14; expected an operator, ',', ')'."],
    ['name eq 1 )', "Unexpected ')' at position 10; expected an operator, the end."],
  ])('words what is wrong with %s', (text, message) => {
    expect(refusal(text).message).toBe(message);
  });

  it.each([
    ['made gt 2026-01-01T00:00:00', "'2026-01-01T00:00:00' is not a valid value. It needs a time zone, such as Z."],
    ['made gt 2026-01-01T25:00:00Z', "'2026-01-01T25:00:00Z' is not a valid value."],
    ['total lt 9223372036854775808', "'9223372036854775808' is not a valid value."],
    ['name', "A condition is expected here, not a value of type text. Put what follows 'not' in brackets."],
    ['size add 1', 'A condition is expected here, not a value of type bigint.'],
    ["active and secret eq 'x'", "The property 'secret' cannot be used in a filter."],
    ["-name eq 'x'", 'A number is expected here, not a value of type text.'],
    ['-made eq made', 'A number is expected here, not a value of type timestamp.'],
    ['-active eq 1', 'A number is expected here, not a value of type boolean.'],
    ['siblings/any(s:)', "Unexpected ')' at position 15; expected a value, '(', a property."],
    ['siblings/all()', "'all' needs a variable and a condition."],
  ])('says of %s: %s', (text, message) => {
    expect(refusal(text).message).toBe(message);
  });

  it('counts a minus sign before a duration, a null and a number', () => {
    expect(print(bind("-span lt duration'PT0S'"))).toBe("-span lt duration'PT0S'");
    expect(bind('size eq -(null)')).toMatchObject({ right: { k: 'negate', type: 'decimal', of: { type: 'decimal', value: null } } });
    expect(bind('size eq -(5)')).toMatchObject({ right: { k: 'negate', type: 'bigint', of: int(5) } });
    expect(bind('ratio eq -(5.5)')).toMatchObject({ right: { k: 'negate', type: 'decimal' } });
  });

  it.each([
    'owner/samples/$count($filter=size gt 5) gt 5',
    'owner/samples/$filter(size gt 5)/$count gt 5',
    'siblings/any(s:$this/size gt 5)',
    "name has 'x'",
    "$it/name eq 'x'",
    "matchesPattern(name,'x')",
    'case(active:1,true:2) eq 1',
    'cast(size,Edm.String) eq 1',
    'isof(Edm.String)',
    'geo.distance(name,note) lt 1',
    "geography'POINT(1 1)' eq name",
    'name in ["a"]',
    '{"a":1} eq name',
    "Ops.Kind'A' eq name",
    "Ns.Type/name eq 'x'",
    'hassubset(name,note)',
  ])('answers 501 to %s', (text) => {
    const error = refusal(text);
    expect(error).toMatchObject({ code: 'NotImplemented', status: 501, target: '$filter' });
    expect(error.message).toMatch(/not supported/);
  });
});

describe('limits', () => {
  const many = (n: number, part: string, by: string) => Array.from({ length: n }, () => part).join(by);

  it.each([
    [
      'brackets',
      `${'('.repeat(limits.bracketDepth)}active${')'.repeat(limits.bracketDepth)}`,
      `${'('.repeat(limits.bracketDepth + 1)}active${')'.repeat(limits.bracketDepth + 1)}`,
    ],
    ['characters', `name eq '${'x'.repeat(limits.filterLength - 10)}'`, `name eq '${'x'.repeat(limits.filterLength - 9)}'`],
    ['depth', many(limits.treeDepth - 1, 'not', ' ').concat(' active'), many(limits.treeDepth, 'not', ' ').concat(' active')],
    ['very long chains of not', 'active', many(2_000, 'not', ' ').concat(' active')],
    ['parts', many(limits.treeNodes - 1, 'flag', ' or '), many(limits.treeNodes, 'flag', ' or ')],
    ['values of a list', `size in (${many(limits.inValues, '1', ',')})`, `size in (${many(limits.inValues + 1, '1', ',')})`],
    ['lambdas', 'siblings/any(a:a/siblings/any(b:b/active))', 'siblings/any(a:a/siblings/any(b:b/siblings/any(c:c/active)))'],
    ['relations to many', many(limits.joins, 'siblings/any()', ' and '), many(limits.joins + 1, 'siblings/any()', ' and ')],
    [
      'joined relations',
      `${many(limits.joins, 'parent', '/')}/name eq null`.replace(/^/, 'owner/').replace('parent/', ''),
      `owner/${many(limits.joins, 'parent', '/')}/name eq null`,
    ],
  ])('of %s', (_name, accepted, refused) => {
    expect(() => bind(accepted)).not.toThrow();
    expect(refusal(refused)).toMatchObject({ code: 'TooComplex', status: 400 });
  });

  // Each leading `not` makes the tree one level deeper, up to the limit.
  it.each([
    ['flag or active', 2],
    ['-size eq 1', 3],
    ['(size add 1) eq 1', 3],
    ['1 eq (size add 1)', 3],
    ['(size add 1) add 1 eq 1', 4],
    ['1 add (size add 1) eq 1', 4],
    ['(size add 1) in (1)', 3],
    ["contains(tolower(name),'a')", 3],
    ['siblings/any(s:s/active)', 2],
    ['@a', 2],
  ])('of depth: %s has %i levels', (text, levels) => {
    const bindUnder = (nots: number) => () =>
      bindFilter(samples, `${'not '.repeat(nots)}(${text})`, findSample, new Map([['a', 'active']]));
    expect(bindUnder(limits.treeDepth - levels)).not.toThrow();
    expect(bindUnder(limits.treeDepth - levels + 1)).toThrow(`The expression is nested deeper than ${limits.treeDepth}.`);
  });

  it('does not count brackets within a text, nor those that are closed', () => {
    expect(() => bind(many(limits.bracketDepth + 1, '(active)', ' and '))).not.toThrow();
    expect(() => bind(`name eq '${'('.repeat(100)}'`)).not.toThrow();
  });
});
