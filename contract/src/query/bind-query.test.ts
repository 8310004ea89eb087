import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { Resource } from '../resource.ts';
import { requireResource } from '../resources/registry.ts';
import { devices } from '../resources/devices.ts';
import { workUnits } from '../resources/work-units.ts';
import { limits } from '../limits.ts';
import { bindQuery } from './bind-query.ts';
import { findSample, owners, samples } from './cases.ts';
import { parseOptions } from './options.ts';
import { print } from './print.ts';
import { isNullable } from './tree.ts';

const bind = (query: string, resource: typeof samples | typeof owners = samples) => bindQuery(resource, parseOptions(query), findSample);

function refusal(query: string, resource: typeof samples | typeof owners = samples): ApiError {
  try {
    bind(query, resource);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`Accepted: ${query}`);
}

describe('options', () => {
  it('takes names with or without $ and in any case', () => {
    const query = bind('filter=active&$OrderBy=name&Select=name,id&$TOP=5&skip=10&$Count=TRUE');
    expect(query).toMatchObject({ filter: { k: 'path' }, select: ['name', 'id'], top: 5, skip: 10, count: true });
  });

  it('decodes percent signs and plus signs', () => {
    expect(parseOptions("$filter=name+eq+'50%25%2B%C3%A9'").filter).toBe("name eq '50%+\u00e9'");
  });

  it('takes $skip up to its limit', () => {
    expect(bind(`$skip=${limits.skipMax}`).skip).toBe(limits.skipMax);
  });

  it('keeps the parameters of the route and the aliases apart', () => {
    const options = parseOptions('tenantId=1&@p=5&search=x&$format=json');
    expect([...options.custom]).toEqual([
      ['tenantId', '1'],
      ['search', 'x'],
    ]);
    expect([...options.aliases]).toEqual([['p', '5']]);
    expect(options.format).toBe('json');
  });

  it.each([
    '$filter=active&FILTER=flag',
    '$top=1&$top=2',
    'a=1&a=1',
    '$unknown=1',
    '$top=-1',
    '$top=1.5',
    '$skip=x',
    `$skip=${limits.skipMax + 1}`,
    '$count=maybe',
    '$filter=%zz',
    '$filter=%00',
  ])('refuses %s', (query) => {
    expect(refusal(query)).toMatchObject({ code: 'InvalidQueryOption', status: 400 });
  });

  it('takes parts without a value, and skips empty ones', () => {
    const options = parseOptions('&flag&=x&a==&');
    expect([...options.custom]).toEqual([
      ['flag', ''],
      ['', 'x'],
      ['a', '='],
    ]);
    expect(parseOptions('')).toEqual({ aliases: new Map(), custom: new Map() });
  });

  it('names the start of what it cannot decode', () => {
    for (const bad of ['%zz', '%00']) expect(refusal(`$filter=${'x'.repeat(60)}${bad}`).target).toBe('x'.repeat(40));
  });

  it('takes a query up to its length', () => {
    const query = (length: number) => `x=${'y'.repeat(length - 2)}`;
    expect(() => parseOptions(query(limits.urlLength))).not.toThrow();
    expect(() => parseOptions(query(limits.urlLength + 1))).toThrow(`The query is longer than ${limits.urlLength} characters.`);
  });

  it('has no page sizes and no count unless they are given', () => {
    expect(bind('')).toEqual({ orderBy: [], expand: [], joins: [], count: false });
    expect(Object.keys(bind('$filter=active'))).not.toContain('top');
    expect(Object.keys(bind('$filter=active'))).not.toContain('skip');
  });

  it('says of each alias that is missing that it is null, or holds no values', () => {
    const filterOf = (query: string) => print(bind(query).filter ?? { k: 'literal', type: 'null', value: null });
    expect(filterOf('$filter=name eq @none')).toBe('name eq null');
    expect(filterOf('$filter=name in @none')).toBe('name in ()');
    expect(filterOf("$filter=name in @some&@some=('a')")).toBe("name in ('a')");
  });

  it.each(['$deltatoken=x', '$index=1'])('answers 501 to %s', (query) => {
    expect(refusal(query)).toMatchObject({ code: 'NotImplemented', status: 501 });
  });

  it('asks the search of a resource by found and relevance, for a text and its own rows alone', () => {
    const bindOf = (query: string, of: Resource = workUnits) => bindQuery(of, parseOptions(query), requireResource);
    const filter = bindOf(`$search=${encodeURIComponent('"night gate" NOT pump')}`).filter;
    expect(filter && print(filter)).toBe(`found('"night gate"') and not found('pump')`);
    expect(bindOf("$filter=found('pump')&$orderby=relevance('pump') desc").orderBy).toMatchObject([
      { of: { fn: 'relevance' }, descending: true },
    ]);
    for (const [query, of] of [
      ["$filter=found('pump')", devices],
      ['$filter=found(title)', workUnits],
      ["$filter=relations/any(r:found('pump'))", workUnits],
      ["$apply=groupby((stateId))&$filter=found('pump')", workUnits],
    ] as const)
      expect(() => bindOf(query, of)).toThrow(/takes a text, and only for rows of workUnits|is not a property/);
  });

  it('reads words, phrases and operators of $search', () => {
    const filterOf = (search: string) =>
      print(bind(`$search=${encodeURIComponent(search)}`).filter ?? { k: 'literal', type: 'null', value: null });
    const has = (text: string) => filterOf(text);
    expect(has('Ada')).toContain("contains(folded(name),'ada')");
    expect(filterOf('ada lovelace')).toBe(`(${has('ada')}) and (${has('lovelace')})`);
    expect(filterOf('ada AND lovelace')).toBe(filterOf('ada lovelace'));
    expect(filterOf('ada OR b c')).toBe(`${has('ada')} or (${has('b')}) and (${has('c')})`);
    expect(filterOf('NOT ada')).toContain("(not contains(folded(name),'ada') or name eq null) and (");
    expect(filterOf('NOT (ada b)')).toBe(`${filterOf('NOT ada OR NOT b')}`);
    expect(filterOf('NOT NOT ada')).toBe(has('ada'));
    expect(filterOf('"a \\"b\\" OR c"')).toContain(`contains(folded(name),'a "b" or c')`);
    expect(filterOf('(ada OR b) c')).toBe(`(${has('ada')} or ${has('b')}) and (${has('c')})`);
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
    const many = bindQuery(workUnits, parseOptions(`$search=${words.join('%20')}`), requireResource).filter;
    expect(many).toMatchObject({ k: 'and', of: words.map((text) => ({ fn: 'found', args: [{ value: text }] })) });
    const inDevices = bindQuery(devices, parseOptions(`$search=${words.join('%20')}`), requireResource).filter;
    expect(inDevices).toMatchObject({ k: 'and', of: words.map(() => ({ k: 'or' })) });
    expect(refusal(`$search=${'a%20'.repeat(limits.searchTexts + 1)}`).code).toBe('TooComplex');
    for (const bad of ['', 'OR', 'a OR', '"a', 'a)', 'NOT'])
      expect([bad, refusal(`$search=${encodeURIComponent(bad)}`).code]).toEqual([bad, 'InvalidSearch']);
    expect(refusal('$search=a&$apply=groupby((name))').status).toBe(501);
  });

  it('asks by null whether there is a related row', () => {
    expect(print(bind('$filter=owner eq null').filter ?? { k: 'literal', type: 'null', value: null })).toBe('owner/ownerId eq null');
    expect(print(bind('$filter=null ne owner/parent').filter ?? { k: 'literal', type: 'null', value: null })).toBe(
      'null ne owner/parent/ownerId',
    );
    expect(refusal("$filter=owner eq 'x'").code).toBe('InvalidFilter');
  });

  it('takes numbers with a plus sign', () => {
    expect(print(bind('$filter=size eq %2B2').filter ?? { k: 'literal', type: 'null', value: null })).toBe('size eq 2');
    expect(print(bind('$filter=size eq %2B2.5e%2B1').filter ?? { k: 'literal', type: 'null', value: null })).toBe('size eq 25.0');
  });

  it('expands every relation by *, with the options of those that are named', () => {
    const all = bind('$expand=*').expand;
    expect(all.map(({ name }) => name).toSorted()).toEqual(Object.keys(samples.relations).toSorted());
    const both = bind('$expand=*,owner($select=name)').expand;
    expect(both).toHaveLength(all.length);
    expect(both.find(({ name }) => name === 'owner')?.query.select).toEqual(['name']);
    expect(refusal('$expand=owner($expand=*)').status).toBe(501);
  });

  it('refuses a query that is too long with 414', () => {
    expect(refusal(`$filter=${'x'.repeat(limits.urlLength)}`)).toMatchObject({ code: 'UriTooLong', status: 414 });
  });
});

describe('$orderby', () => {
  it('binds paths and directions', () => {
    const { orderBy, joins } = bind('$orderby=owner/name desc, size ,owner/parent/city asc');
    expect(orderBy.map((o) => [print(o.of), o.descending, isNullable(o.of)])).toEqual([
      ['owner/name', true, true],
      ['size', false, true],
      ['owner/parent/city', false, true],
    ]);
    expect(joins.map((j) => [j.path.join('/'), j.target.name])).toEqual([
      ['owner', 'owners'],
      ['owner/parent', 'owners'],
    ]);
  });

  it('binds expressions and counts', () => {
    const { orderBy, joins } = bind('$orderby=length(name) desc,owner/samples/$count,siblings/any(s:s/active)');
    expect(orderBy.map((o) => print(o.of))).toEqual(['length(name)', 'owner/samples/$count', 'siblings/any(s:s/active)']);
    expect(joins.map((j) => j.path.join('/'))).toEqual(['owner', 'owner/samples', 'siblings']);
  });

  it('takes five keys, and says of a field what it cannot be', () => {
    expect(bind('$orderby=id,id,id,id,id').orderBy).toHaveLength(5);
    expect(refusal('$orderby=secret').message).toBe("The property 'secret' cannot be sorted by.");
  });

  it('shares joins with $filter', () => {
    expect(bind("$filter=owner/name eq 'x'&$orderby=owner/city").joins).toHaveLength(1);
  });

  it.each([
    ['$orderby=secret', 'InvalidOrderBy', 'InvalidOrderBy', 0],
    ['$orderby=name,foo', 'InvalidOrderBy', 'UnknownProperty', 5],
    ['$orderby=name upwards', 'InvalidOrderBy', 'InvalidOrderBy', 5],
    ['$orderby=id,id,id,id,id,id', 'TooComplex', 'TooComplex', 15],
    ['$orderby=extra', 'InvalidOrderBy', 'InvalidOrderBy', 0],
    ['$orderby=length(secret)', 'InvalidOrderBy', 'InvalidOrderBy', 7],
    ['$orderby=null', 'InvalidOrderBy', 'TypeMismatch', 0],
    ['$orderby=siblings', 'InvalidOrderBy', 'InvalidOrderBy', 0],
  ])('refuses %s', (query, code, detail, offset) => {
    const error = refusal(query);
    expect(error).toMatchObject({ code, target: '$orderby' });
    expect(error.details[0]).toMatchObject({ code: detail, target: `$orderby:${offset}` });
  });
});

describe('$select', () => {
  it('names fields; relations add nothing and * is all', () => {
    expect(bind('$select=name, id,name,owner').select).toEqual(['name', 'id']);
    expect(bind('$select=*,name').select).toBeUndefined();
  });

  it.each([
    ['$select=name,foo', 'InvalidSelect'],
    ['$select=', 'InvalidSelect'],
    ['$select=owner/name', 'NotImplemented'],
    ['$select=Ns.Type', 'NotImplemented'],
  ])('refuses %s', (query, code) => {
    expect(refusal(query).code).toBe(code);
  });
});

describe('$expand', () => {
  it('binds nested options against the target', () => {
    const [owner] = bind(
      "$expand=owner($select=name;$expand=samples($filter=size gt 5 and contains(name,';)');$orderby=name desc;$top=3;$skip=1;count=true))",
    ).expand;
    expect(owner).toMatchObject({ name: 'owner', target: { name: 'owners' }, query: { select: ['name'] } });
    const inner = owner?.query.expand[0]?.query;
    expect(inner).toMatchObject({ top: 3, skip: 1, count: true, orderBy: [{ of: { path: ['name'] }, descending: true }] });
    expect(inner?.filter && print(inner.filter)).toBe("size gt 5 and contains(name,';)')");
  });

  it('counts the rows of a relation to many, and of no other', () => {
    expect(bind('$expand=siblings/$count').expand).toMatchObject([{ name: 'siblings', countOnly: true, query: { count: true } }]);
    expect(bind('$expand=siblings').expand).toMatchObject([{ countOnly: false, query: { count: false } }]);
    expect(refusal('$expand=owner/$count').message).toBe("'owner' does not hold many rows.");
  });

  it('reads nested counts as true or false', () => {
    const countOf = (text: string) => bind(`$expand=siblings($count=${text})`).expand[0]?.query.count;
    expect([countOf('TRUE'), countOf('false')]).toEqual([true, false]);
    expect(refusal('$expand=siblings($count=maybe)').message).toBe('$count is true or false.');
  });

  it('keeps joins of nested options by themselves', () => {
    const query = bind("$expand=siblings($filter=owner/name eq 'x')");
    expect(query.joins).toEqual([]);
    expect(query.expand[0]?.query.joins.map((j) => j.path)).toEqual([['owner']]);
  });

  it.each([
    ['$expand=foo', 'InvalidExpand', 'UnknownProperty', 0],
    ['$expand=name', 'InvalidExpand', 'InvalidExpand', 0],
    ['$expand=owner,owner', 'InvalidExpand', 'InvalidExpand', 6],
    ['$expand=owner($filter=name eq null)', 'InvalidExpand', 'InvalidExpand', 6],
    ['$expand=siblings($filter=foo eq 1)', 'InvalidExpand', 'UnknownProperty', 17],
    ['$expand=siblings($top=1;top=2)', 'InvalidExpand', 'InvalidExpand', 16],
    ['$expand=siblings($top=x)', 'InvalidExpand', 'InvalidExpand', 9],
    ['$expand=siblings($foo=1)', 'InvalidExpand', 'InvalidExpand', 10],
    ['$expand=siblings($levels=2)', 'NotImplemented', 'NotImplemented', 9],
    ['$expand=siblings/$ref', 'NotImplemented', 'NotImplemented', 0],
    ['$expand=owner($expand=parent($expand=parent($expand=parent)))', 'TooComplex', 'TooComplex', 44],
  ])('refuses %s', (query, code, detail, offset) => {
    const error = refusal(query);
    expect(error).toMatchObject({ code, target: '$expand' });
    expect(error.details[0]).toMatchObject({ code: detail, target: `$expand:${offset}` });
  });

  it('counts the relations of the whole request', () => {
    const pair = 'samples($expand=owner($expand=parent,samples),siblings($expand=owner,siblings))';
    expect(bind(`$expand=${pair}`, owners).expand).toHaveLength(1);
    expect(bind(`$expand=${pair},parent($expand=samples,parent)`, owners).expand).toHaveLength(2);
    expect(refusal(`$expand=${pair},parent($expand=samples($expand=siblings),parent)`, owners)).toMatchObject({
      code: 'TooComplex',
      status: 400,
    });
  });
});
