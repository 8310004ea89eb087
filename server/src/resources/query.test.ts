/**
 * Results of the query language over HTTP, such as lambdas, counts, $search and $apply, each inside the caller's scope and
 * permissions.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { requireResource, resources } from '@cloudfit/contract/resources/registry.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let north: string;
let south: string;
let me: TestCaller;

const units = [
  ['Pump', 'New', 'ann@example.com', 1],
  ['Gate', 'New', 'bob@example.com', 5],
  ['Lamp', 'Closed', 'ann@example.com', 8],
  ['Door', 'OnHold', null, null],
] as const;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId: north } = await world.tenant('North'));
  ({ tenantId: south } = await world.tenant('South'));
  me = holder([north]);
  for (const tenant of [north, south]) {
    for (const [title, state, assigned, effort] of units) {
      const [row] = await world.system.db.query<{ work_unit_id: number }>({
        text: `insert into work_unit (tenant_id, title, severity_id, state_id, assigned_to, effort, work_unit_type_id, created_by, modified_by, created)
          values ($1, $2, 'Sev1', $3, $4, $5, 1, 'test', 'test', '2026-01-01T00:00:00Z') returning work_unit_id`,
        values: [tenant, tenant === north ? title : `${title} of South`, state, assigned, effort],
      });
      const notes = tenant === north ? { Pump: 2, Gate: 1 }[title as string] : 1;
      for (let n = 0; n < (notes ?? 0); n++) await note(row?.work_unit_id, tenant, `Note ${n}`);
    }
  }
});
afterAll(() => world.close());

function note(unit: number | undefined, tenant: string, detail: string): Promise<unknown> {
  return world.system.db.query({
    text: 'insert into work_unit_note (work_unit_id, tenant_id, detail, created_by, correlation_id) values ($1, $2, $3, $4, uuidv7())',
    values: [unit, tenant, detail, 'test'],
  });
}

async function ask(
  query: string,
  caller = me,
  set = 'workUnits',
): Promise<{ status: number; value: Record<string, unknown>[]; body: Record<string, unknown> }> {
  const { status, body } = await world.call(
    caller,
    'GET',
    `/v1/${set}?${query
      .split('&')
      .map((part) => encodeURI(part).replaceAll('+', '%2B'))
      .join('&')}`,
  );
  return { status, body, value: body.value ?? [] };
}

async function titles(query: string, caller = me): Promise<unknown[]> {
  const { status, value, body } = await ask(query, caller);
  expect([query, status, body['error']]).toEqual([query, 200, undefined]);
  return value.map((row) => row['title']);
}

async function count(path: string, caller = me): Promise<[number, string]> {
  const { status, text } = await world.call(caller, 'GET', path);
  return [status, text];
}

describe('relations to many in filters', () => {
  it.each([
    ['notes/any()', ['Gate', 'Pump']],
    ['not notes/any()', ['Door', 'Lamp']],
    ["notes/any(n:n/detail eq 'Note 1')", ['Pump']],
    ["notes/all(n:n/detail eq 'Note 0')", ['Door', 'Gate', 'Lamp']],
    ['notes/$count gt 1', ['Pump']],
    ["tenant/subscriptions/any(s:s/name eq 'Default')", ['Door', 'Gate', 'Lamp', 'Pump']],
  ])('%s', async (filter, expected) => {
    expect(await titles(`$filter=${filter}&$orderby=title`)).toEqual(expected);
  });

  it('sorts by counts and expressions, ties by key', async () => {
    expect(await titles('$orderby=notes/$count desc,length(title),title desc')).toEqual(['Pump', 'Gate', 'Lamp', 'Door']);
    expect(await titles("$orderby=stateId eq 'New' desc,effort desc")).toEqual(['Gate', 'Pump', 'Lamp', 'Door']);
    expect(await titles('$orderby=effort mul -1')).toEqual(['Door', 'Lamp', 'Gate', 'Pump']);
    expect(await titles('$orderby=1,title')).toEqual(['Door', 'Gate', 'Lamp', 'Pump']);
  });

  it('takes aliases', async () => {
    expect(await titles("$filter=stateId in @s and effort gt @n&@s=('New','Closed')&@n=4&$orderby=title")).toEqual(['Gate', 'Lamp']);
  });
});

it('expands by * what the caller may view', async () => {
  const whole = await ask("$filter=title eq 'Pump'&$expand=*");
  expect(whole.value[0]).toMatchObject({ tenant: { name: 'North' }, notes: [{}, {}], protocol: null });
  const some = await ask("$filter=title eq 'Pump'&$expand=*", holder([north], [permission('WorkUnits', 'view')]));
  expect(some.value[0]).toMatchObject({ notes: [{}, {}] });
  expect(some.value[0]).not.toHaveProperty('tenant');
});

it('finds by $search and compares a relation with null', async () => {
  expect(await titles('$search=pump OR gate&$orderby=title')).toEqual(['Gate', 'Pump']);
  expect(await titles('$search=NOT pump&$filter=effort ne null&$orderby=title')).toEqual(['Gate', 'Lamp']);
  expect((await count('/v1/workUnits/$count?$search=pump'))[1]).toBe('1');
  expect(await titles('$filter=protocol eq null&$orderby=title')).toEqual(['Door', 'Gate', 'Lamp', 'Pump']);
  expect(await titles('$filter=tenant eq null')).toEqual([]);
});

describe('counts', () => {
  it('answers /$count as text, with filter and scope, whatever the paging', async () => {
    expect(await count('/v1/workUnits/$count')).toEqual([200, '4']);
    expect(await count("/v1/workunits/$count?$filter=stateId%20eq%20'New'&$top=1&$skip=9&$expand=tenant")).toEqual([200, '2']);
    expect(await count('/api/v1/workUnits/$count?$apply=groupby((assignedTo))')).toEqual([200, '3']);
    expect(await count('/v1/workUnits/$count', holder([north, south]))).toEqual([200, '8']);
  });

  it('refuses it without the permission, on one row, and on a bad filter', async () => {
    expect((await count('/v1/workUnits/$count', holder([north], [permission('Tenants', 'view')])))[0]).toBe(403);
    expect((await count('/v1/workUnits/$count?$filter=foo%20eq%201'))[0]).toBe(400);
    expect((await count(`/v1/tenants/${north}/$count`))[0]).toBe(404);
    expect((await world.call(null, 'GET', '/v1/workUnits/$count')).status).toBe(401);
  });

  it('counts expanded rows whole, and alone where only their number is wanted', async () => {
    const { value } = await ask("$filter=title eq 'Pump'&$select=title&$expand=notes($count=true;$top=1;$select=detail;$orderby=detail)");
    expect(value).toMatchObject([{ title: 'Pump', 'notes@odata.count': 2, notes: [{ detail: 'Note 0' }] }]);
    const alone = await ask("$filter=title eq 'Pump'&$select=title&$expand=notes/$count");
    expect(alone.value[0]).not.toHaveProperty('notes');
    expect(alone.value).toMatchObject([{ title: 'Pump', 'notes@odata.count': 2 }]);
  });

  it('links to the rest of nested rows that were cut', async () => {
    const { tenantId } = await world.tenant('West');
    const west = holder([tenantId]);
    await world.system.db.query({
      text: `with units as (insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by)
          select $1, title, 1, 'test', 'test' from unnest('{Few,Many}'::text[]) title returning work_unit_id, title)
        insert into work_unit_note (work_unit_id, tenant_id, detail, created_by, correlation_id)
          select work_unit_id, $1, lpad(n::text, 5, '0'), 'test', uuidv7() from units, generate_series(1, 1100) n where title = 'Many' or n < 3`,
      values: [tenantId],
    });
    const options = "$orderby=detail;$select=detail;$filter=contains(detail,'0')";
    const { value } = await ask(`$orderby=title&$select=title&$expand=notes(${options})`, west);
    expect(value.map((row) => [row['title'], (row['notes'] as unknown[]).length, 'notes@odata.nextLink' in row])).toEqual([
      ['Few', 2, false],
      ['Many', 1000, true],
    ]);
    const rest = await world.call(west, 'GET', `/v1/${String(value[1]?.['notes@odata.nextLink'])}`);
    expect(rest.body.value?.at(-1)).toEqual({ detail: '01100' });
    const nested = ((value[1]?.['notes'] ?? []) as { detail: string }[]).at(-1)?.detail ?? '';
    expect(rest.body.value?.every((row) => String(row['detail']) > nested)).toBe(true);
  });
});

describe('$compute', () => {
  it('adds properties that select, filter and order by, also beside groups', async () => {
    const rows = async (query: string): Promise<unknown> => (await ask(query)).body['value'];
    expect(
      await rows('$compute=effort mul 2 as double,tolower(title) as low&$select=low,double&$filter=double gt 5&$orderby=double desc'),
    ).toMatchObject([
      { low: 'lamp', double: 16 },
      { low: 'gate', double: 10 },
    ]);
    expect(await rows('$apply=groupby((stateId),aggregate($count as n))&$compute=n mul 10 as tens&$filter=tens gt 10')).toEqual([
      { stateId: 'New', n: 2, tens: 20 },
    ]);
    expect((await ask('$compute=effort as title')).status).toBe(400);
    expect((await ask('$compute=none add 1 as x')).body['error']).toMatchObject({
      details: [{ code: 'UnknownProperty', target: '$compute:0' }],
    });
  });
});

describe('$apply', () => {
  it.each<[string, unknown]>([
    ['groupby((stateId))', [{ stateId: 'Closed' }, { stateId: 'New' }, { stateId: 'OnHold' }]],
    ['groupby((assignedTo))', [{ assignedTo: null }, { assignedTo: 'ann@example.com' }, { assignedTo: 'bob@example.com' }]],
    ['groupby((tenant/name))', [{ tenant: { name: 'North' } }]],
    [
      'groupby((tenant/name,tenant/enabled,stateId))/filter(stateId ne null)/top(1)',
      [{ tenant: { name: 'North', enabled: true }, stateId: 'Closed' }],
    ],
    [
      'groupby((assignedTo),aggregate($count as n,effort with sum as total,effort with max as most,effort with average as mean))',
      [
        { assignedTo: null, n: 1, total: null, most: null, mean: null },
        { assignedTo: 'ann@example.com', n: 2, total: 9, most: 8, mean: 4.5 },
        { assignedTo: 'bob@example.com', n: 1, total: 5, most: 5, mean: 5 },
      ],
    ],
    [
      'aggregate($count as n,assignedTo with countdistinct as people,created with min as first)',
      [{ n: 4, people: 2, first: '2026-01-01T00:00:00.000Z' }],
    ],
    ["filter(stateId eq 'None')/aggregate($count as n,effort with sum as total)", [{ n: 0, total: null }]],
    ["filter(stateId eq 'New')/groupby((stateId),aggregate(effort mul 2 with sum as double))", [{ stateId: 'New', double: 12 }]],
    [
      'compute(tolower(title) as low,effort add 1 as more)/filter(more gt 2)/groupby((low),aggregate(more with max as most))/orderby(most desc)',
      [
        { low: 'lamp', most: 9 },
        { low: 'gate', most: 6 },
      ],
    ],
    ['groupby((stateId),aggregate($count as n))/orderby(n desc)/top(1)/aggregate(n with sum as all)', [{ all: 2 }]],
    ['groupby((stateId),aggregate($count as n))/compute(n mul 10 as tens)/filter(tens gt 10)', [{ stateId: 'New', n: 2, tens: 20 }]],
    ['orderby(effort desc)/top(2)/aggregate(effort with sum as total)', [{ total: 13 }]],
    ['orderby(title)/skip(1)/top(2)/groupby((title))', [{ title: 'Gate' }, { title: 'Lamp' }]],
    ['groupby((workUnitType/name),aggregate(notes/$count with sum as notes))', [{ workUnitType: { name: 'Incident' }, notes: 3 }]],
    ['groupby((assignedTo))/aggregate($count as n)', [{ n: 3 }]],
    ['groupby((rollup($all,stateId,assignedTo)),aggregate($count as n))/filter(n gt 1)', [{ stateId: 'New', n: 2 }, { n: 4 }]],
    [
      'filter(effort ne null)/concat(groupby((tenant/name),aggregate(effort with sum as total)),aggregate(effort with max as most),groupby((stateId))/orderby(stateId desc)/top(1))',
      [{ tenant: { name: 'North' }, total: 14 }, { most: 8 }, { stateId: 'New' }],
    ],
    ['groupby((stateId),aggregate($count as n))/concat(aggregate($count as groups),top(1))', [{ groups: 3 }, { stateId: 'Closed', n: 1 }]],
    ['identity/groupby((isSpamCall))', [{ isSpamCall: false }]],
    ['compute(created sub 2025-12-31T23:59:58.5Z as age)/groupby((age))', [{ age: 'PT1.5S' }]],
    ['compute(created sub 2025-12-31T22:59:58Z as age)/groupby((age))', [{ age: '01:00:02' }]],
    [
      'compute(year(created) as year,date(created) as day,hour(created) as hour)/groupby((year,day,hour))',
      [{ year: 2026, day: '2026-01-01', hour: 0 }],
    ],
  ])('%s', async (apply, expected) => {
    const { body, value } = await ask(`$apply=${apply}`);
    expect([apply, body['error'], value]).toEqual([apply, undefined, expected]);
  });

  it('lets options follow: filter, order, paging and count are about what it answers', async () => {
    const { body } = await ask(
      '$apply=groupby((assignedTo),aggregate($count as n))&$filter=assignedTo ne null&$orderby=n desc&$top=1&$count=true&$select=n',
    );
    expect(body).toMatchObject({ '@odata.count': 2, value: [{ n: 2 }] });
    const page = await ask('$apply=groupby((assignedTo))&$skip=1&$top=1&$orderby=assignedTo desc');
    expect(page.value).toEqual([{ assignedTo: 'ann@example.com' }]);
  });

  it('keeps rows whole where it does not group, with expansions and computed values beside them', async () => {
    const { value } = await ask(
      "$apply=filter(stateId eq 'New')/compute(length(title) as size)/orderby(effort desc)/top(1)&$select=title,size&$expand=notes($select=detail)",
    );
    expect(value).toMatchObject([{ title: 'Gate', notes: [{ detail: 'Note 0' }], size: 4 }]);
    const whole = (await ask('$apply=orderby(title)/top(1)')).value[0];
    expect(Object.keys(whole ?? {})).toEqual(expect.arrayContaining(Object.keys(requireResource('workUnits').fields)));
  });

  it('says what the rows are', async () => {
    const { body } = await ask('$apply=groupby((tenant/name,stateId),aggregate($count as n))');
    expect(body['@odata.context']).toBe('http://localhost/v1/$metadata#workUnits(tenant(name),stateId,n)');
  });

  it.each([
    ['groupby((foo))', 400, 'InvalidApply', '$apply:9'],
    ['groupby((tenant))', 400, 'InvalidApply', '$apply:9'],
    ['groupby((notes/detail))', 400, 'InvalidApply', '$apply:9'],
    ['groupby((stateId,stateId))', 400, 'InvalidApply', '$apply:9'],
    ['groupby((stateId))/filter(title eq null)', 400, 'InvalidApply', '$apply:26'],
    ['groupby((stateId))/filter(notes/any())', 400, 'InvalidApply', '$apply:26'],
    ['aggregate(title with sum as x)', 400, 'InvalidApply', '$apply:10'],
    ['aggregate(tenantId with max as x)', 400, 'InvalidApply', '$apply:10'],
    ['aggregate($count as x,$count as x)', 400, 'InvalidApply', '$apply:22'],
    ['groupby((stateId),aggregate($count as stateId))', 400, 'InvalidApply', undefined],
    ['compute(1 as title)', 400, 'InvalidApply', undefined],
    ['compute(null as x)', 400, 'InvalidApply', undefined],
    ['top(x)', 400, 'InvalidApply', undefined],
    ['skip(-1)', 400, 'InvalidApply', undefined],
    ['', 400, 'InvalidApply', undefined],
    ['groupby((stateId)', 400, 'InvalidApply', undefined],
    [`skip(${limits.skipMax + 1})`, 400, 'TooComplex', undefined],
    ['groupby((title,stateId,severityId,assignedTo,effort,created))', 400, 'TooComplex', undefined],
    [`aggregate(${Array.from({ length: limits.aggregates + 1 }, (_, i) => `$count as n${i}`).join(',')})`, 400, 'TooComplex', undefined],
    [Array.from({ length: limits.applySteps + 1 }, () => 'identity').join('/'), 400, 'TooComplex', undefined],
    [`compute(1 as ${'x'.repeat(61)})`, 400, 'TooComplex', undefined],
    [
      `compute(effort add effort as a0)/${Array.from({ length: 9 }, (_, i) => `compute(a${i} add a${i} as a${i + 1})`).join('/')}`,
      400,
      'TooComplex',
      undefined,
    ],
    ['concat(identity,identity)', 501, 'NotImplemented', undefined],
    ['groupby((rollup(stateId)))', 400, 'InvalidApply', undefined],
    ['concat(aggregate($count as n),aggregate(title with max as n))', 400, 'InvalidApply', undefined],
    ['groupby((stateId),filter(effort gt 1)/aggregate($count as n))', 501, 'NotImplemented', undefined],
    ['groupby((stateId),aggregate($count as n)/filter(n gt 1))', 501, 'NotImplemented', undefined],
    ['aggregate(effort with stdev as x)', 501, 'NotImplemented', undefined],
    ['aggregate(effort with sum from stateId as x)', 501, 'NotImplemented', undefined],
    ['aggregate(effort as x)', 501, 'NotImplemented', undefined],
    ['join(notes as n)', 501, 'NotImplemented', undefined],
    ['nest(groupby((stateId)) as n)', 501, 'NotImplemented', undefined],
    ['expand(notes)', 501, 'NotImplemented', undefined],
    ['search(x)', 501, 'NotImplemented', undefined],
    ['Ops.custom(1)', 501, 'NotImplemented', undefined],
  ])('refuses %s', async (apply, status, code, target) => {
    const answer = await ask(`$apply=${apply}`);
    const error = answer.body['error'] as { code: string; target: string; details: { target: string }[] };
    expect([answer.status, error.code, error.target]).toEqual([status, code, '$apply']);
    if (target !== undefined) expect(error.details[0]?.target).toBe(target);
  });

  it.each(['$expand=notes', '$orderby=title', '$filter=title eq null', '$select=title'])('refuses %s behind a grouping', async (option) => {
    expect((await ask(`$apply=groupby((stateId))&${option}`)).status).toBe(400);
  });

  it('refuses it on one row', async () => {
    expect((await world.call(me, 'GET', `/v1/tenants/${north}?$apply=groupby((name))`)).status).toBe(400);
  });

  it('turns what cannot be evaluated into 400', async () => {
    for (const apply of [
      'compute(1 div (effort sub effort) as x)',
      'aggregate(effort mul 9223372036854775807 with sum as x)',
      'filter(effort mod 0 eq 1)',
    ])
      expect([apply, (await ask(`$apply=${apply}`)).status]).toEqual([apply, 400]);
  });
});

/** Each relation of each resource: `[resource, name of the relation, whether it is to many, target]`. */
const relations = resources.flatMap((r) =>
  Object.entries(r.relations).map(([name, { many, to }]) => [r, name, many, requireResource(to)] as const),
);
const toMany = relations.filter(([, , many]) => many);
const title = (r: Resource): string => r.title;

describe('other tenants', () => {
  it('are never counted, grouped or found through relations', async () => {
    expect(await titles("$filter=notes/any(n:n/detail eq 'Note 0') and contains(title,'South')")).toEqual([]);
    expect((await ask('$apply=groupby((tenant/name),aggregate($count as n))')).value).toEqual([{ tenant: { name: 'North' }, n: 4 }]);
    expect((await ask('$apply=aggregate($count as n)')).value).toEqual([{ n: 4 }]);
    expect((await ask(`$apply=filter(tenantId eq ${south})/groupby((assignedTo))`)).value).toEqual([]);
    expect((await ask(`$apply=filter(tenantId in (${south},${north}))/groupby((tenantId))`)).value).toEqual([{ tenantId: north }]);
    expect((await ask(`$apply=filter(tenantId in (${south},${north}))/groupby((tenantId))`, holder('all'))).value).toHaveLength(2);
    expect((await ask('$apply=groupby((tenantId))', holder([north, south]))).value).toHaveLength(2);
  });

  it('stay unseen where a person may view only one of two resources there', async () => {
    const caller: TestCaller = {
      tenants: [north, south],
      permissions: new Map([
        [north, new Set([permission('WorkUnits', 'view'), permission('Tenants', 'view')])],
        [south, new Set([permission('WorkUnits', 'view')])],
      ]),
    };
    const groups = await ask('$apply=groupby((tenant/name),aggregate($count as n))', caller);
    expect(groups.value).toEqual([
      { tenant: { name: null }, n: 4 },
      { tenant: { name: 'North' }, n: 4 },
    ]);
    expect((await ask('$apply=groupby((tenant/name))', caller)).value).toEqual([{ tenant: { name: null } }, { tenant: { name: 'North' } }]);
    expect((await ask("$apply=filter(tenant/name eq 'South')/groupby((tenant/name))", caller)).value).toEqual([]);
    expect((await ask('$filter=tenant/name eq null', caller)).value).toHaveLength(4);
  });

  it.each(toMany.map(([r, name, , target]) => [`${r.name}/${name}`, r, name, target] as const))(
    '%s counts only what its own list shows',
    async (_path, r, name, target) => {
      const visible = new Set((await ask('$top=1000', me, target.name)).value.map((row) => row[target.key]));
      const all = new Set((await ask('$top=1000', holder('all'), target.name)).value.map((row) => row[target.key]));
      const hidden = [...all].filter((key) => !visible.has(key));
      const counted = await ask(
        `$top=1000&$filter=${name}/$count gt 0&$expand=${name}($select=${title(target)},${target.key})`,
        me,
        r.name,
      );
      expect([counted.status, counted.body['error']]).toEqual([200, undefined]);
      const keys = counted.value.flatMap((row) => row[name] as Record<string, unknown>[]).map((row) => row[target.key]);
      expect(keys.filter((key) => hidden.includes(key))).toEqual([]);
      for (const key of hidden.slice(0, 3)) {
        const literal =
          typeof key === 'number' ? String(key) : target.fields[target.key]?.kind === 'guid' ? String(key) : `'${String(key)}'`;
        expect((await ask(`$filter=${name}/any(x:x/${target.key} eq ${literal})`, me, r.name)).value).toEqual([]);
      }
    },
  );
});

describe('rights', () => {
  it.each(relations.map(([r, name, many, target]) => [`${r.name}/${name}`, r, name, many, target] as const))(
    'asks for the right to view the target of %s in filter, order and $apply',
    async (_path, r, name, many, target) => {
      const viewer = permission(r.area, 'view');
      if (r.area === target.area || target.viewedWith?.includes(viewer)) return;
      const caller = holder([north], [viewer]);
      const uses = many
        ? [
            `$filter=${name}/any()`,
            `$filter=${name}/any(x:x/${target.key} ne null)`,
            `$filter=not (${name}/$count gt 1)`,
            `$orderby=${name}/$count`,
          ]
        : [
            `$filter=${name}/${target.key} eq null`,
            `$orderby=${name}/${target.title}`,
            `$apply=groupby((${name}/${target.title}))`,
            `$apply=filter(${name}/${target.key} eq null)/aggregate($count as n)`,
          ];
      for (const use of uses) expect([use, (await ask(use, caller, r.name)).status]).toEqual([use, 403]);
    },
  );
});
