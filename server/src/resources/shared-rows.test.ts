/**
 * Rows of all tenants and of groups of tenants: people of one tenant see those that concern them, change none, and what other
 * tenants make of them changes no answer. Kinds come from the declarations, so a new kind is tested too.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action } from '@cloudfit/contract/action.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { requireResource, resources } from '@cloudfit/contract/resources/registry.ts';
import { columnName } from '../db/column-name.ts';
import { allActions } from '../testing/all-actions.ts';
import { insertSample, sampleBody, type SubscriptionIds } from '../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { get } from './get.ts';
import { servedNamed } from './served.ts';

type Body = Record<string, unknown>;

interface SharedRow {
  kind: Resource;
  key: string;
  /** The group of tenants that the row is for; null for all tenants. */
  groupId: string | null;
  row: Body;
}

const secret = 'Zanzibar';
const isShared = (r: Resource): boolean => r.scope.kind === 'tenant-or-global';
const shared = resources.filter(isShared);
const ofGroups = shared.filter((r) => 'tenantGroupId' in r.fields && r.verbs.includes('create'));

let world: TestWorld;
let mine: SubscriptionIds;
let sibling: SubscriptionIds;
let outside: SubscriptionIds;
let groupId: string;
const rows: SharedRow[] = [];
const everywhere = holder('all');
/** A new caller for each call, because one caller may send so many only. */
let readers: Record<string, () => TestCaller>;

/** Kinds whose rows of many only those see who see all tenants. */
const hidden = new Set(['eventSubscriptions']);

/** What says in another way than by an empty tenant that a row is for many. */
const wide: Readonly<Record<string, (groupId: string | null) => Body>> = {
  knowledgeArticles: () => ({ state: 'Published' }),
  ruleExceptions: (groupId) => (groupId ? { appliesTo: 'Group' } : { appliesTo: 'Tag', tag: 'build' }),
};

/** The body of a row for many: what belongs to the tenant is left out, or replaced by a row for all. */
async function wideBody(r: Resource, groupId: string | null): Promise<Body> {
  const body = await sampleBody(world, r, mine);
  for (const [name, field] of Object.entries(r.fields)) {
    const value = body[name];
    if (value === undefined || value === null || !field.ref) continue;
    const to = requireResource(field.ref);
    const row: Body = await get(world.system, servedNamed(to.name), value as string);
    if (to.scope.kind === 'installation' || row[to.scope.field] === null) continue;
    if (isShared(to)) body[name] = (await sharedRow(to, null)).key;
    else if (field.nullable) body[name] = null;
  }
  if (r.scope.kind !== 'installation' && r.fields[r.scope.field]?.write !== 'never') body[r.scope.field] = null;
  return { ...body, ...(groupId ? { tenantGroupId: groupId } : {}), ...wide[r.name]?.(groupId) };
}

async function sharedRow(r: Resource, groupId: string | null): Promise<SharedRow> {
  if (!r.verbs.includes('create')) {
    const row = await insertSample(world, r, { ...mine, tenantId: null } as unknown as SubscriptionIds);
    return { kind: r, key: String(row[r.key]), groupId, row };
  }
  const { status, body } = await world.call(everywhere, 'PUT', `/v1/${r.name}`, await wideBody(r, groupId));
  expect([r.name, status, body['error']]).toEqual([r.name, 201, undefined]);
  return { kind: r, key: String(body[r.key]), groupId, row: body };
}

/** Rows of the other tenant that name the shared ones; returns how many do. */
async function useInSibling(): Promise<number> {
  let uses = 0;
  for (const { kind, key } of rows) {
    if (kind.name === 'rules') {
      const body = { ruleId: key, tenantId: sibling.tenantId, isOff: true, reason: `${secret} has its own` };
      expect((await world.call(everywhere, 'PUT', '/v1/ruleExceptions', body)).status).toBe(201);
    }
    if (kind.name === 'knowledgeArticles')
      await world.system.db.query({ text: "select count_knowledge_use($1, 'Linked', 'somebody', uuidv7())", values: [key] });
  }
  for (const r of resources) {
    // A sample of an exception makes a rule for all tenants, which others see.
    if (r.scope.kind === 'installation' || r.name === 'tenants' || r.name === 'ruleExceptions') continue;
    for (const [name, { ref }] of Object.entries(r.fields))
      for (const { key } of rows.filter((row) => row.kind.name === ref)) {
        const row = await insertSample(world, r, sibling);
        const { table } = servedNamed(r.name);
        // A statement may be refused, as by a check that the row be of the tenant.
        uses += await world.system.db
          .query<{ done: number }>({
            text: `with used as (update ${table} set ${columnName(name)} = $1 where ${columnName(r.key)}::text = $2 and tenant_id = $3 returning 1) select count(*)::int as done from used`,
            values: [key, String(row[r.key]), sibling.tenantId],
          })
          .then(([answer]) => answer?.done ?? 0)
          .catch(() => 0);
      }
  }
  return uses;
}

/** Values of parameters of a path: a tenant of the caller, or a shared row of the kind that the path is about. */
function addressesOf({ path }: Action, tenantId: string): string[] {
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const about = rows.filter(({ kind }) => path.toLowerCase().startsWith(`/v1/${kind.name.toLowerCase()}`) || parts.includes(kind.key));
  const fill = (row?: SharedRow): string | undefined => {
    const values = parts.map((name) => {
      if (/tenantId$/i.test(name) || (name === 'id' && path.startsWith('/v1/tenants/'))) return tenantId;
      if (name === 'days') return '7';
      if (name === 'minutes') return '60';
      return row && (name === 'id' || name === row.kind.key) ? row.key : undefined;
    });
    if (values.includes(undefined)) return undefined;
    return parts.reduce((text, name, i) => text.replace(`{${name}}`, values[i] ?? ''), path as string);
  };
  return [fill(), ...about.map(fill)].filter((address) => address !== undefined);
}

/** Addresses whose answers may depend on what others do: streams, and what is about the process or the whole installation. */
const ofInstallation = /^\/v1\/(changes|feeds|installation|notices|openapi|\$metadata)/i;

function addresses(tenantId: string): string[] {
  const list = (path: string, options: Record<string, string> = {}): string =>
    `${path}?${new URLSearchParams({ $count: 'true', ...options }).toString()}`;
  // The audit has the refusals of the reader.
  const ofKinds = resources
    .filter(({ name }) => name !== 'audit')
    .flatMap((r) => {
      const at = `/v1/${r.name}`;
      return [
        list(at, { $top: '1000', $orderby: r.key }),
        ...(isShared(r) ? [list(at, { $search: secret }), `${at}/Export()`] : []),
        ...Object.entries(r.fields).flatMap(([name, { sharedValues }]) =>
          sharedValues ? [`${at}?$apply=groupby((${name}),aggregate($count as n))`] : [],
        ),
      ];
    });
  const ofRows = rows.flatMap(({ kind, key }) => {
    const at = `/v1/${kind.name}`;
    const one = { $filter: `${kind.key} eq ${key}` };
    return [
      `${at}(${key})`,
      list('/v1/audit', { $filter: `entity eq '${kind.name}' and entityId eq '${key}'` }),
      `/v1/configuration/managed?resource=${kind.name}&key=${key}`,
      ...Object.entries(kind.relations).flatMap(([name, { many, to }]) => {
        const target = requireResource(to);
        const tenant = target.scope.kind === 'installation' ? undefined : target.scope.field;
        return [
          list(at, { ...one, $expand: many ? `${name}($count=true)` : name }),
          `${at}(${key})/${name}`,
          ...(tenant && many ? [list(at, { $filter: `${name}/any(x:x/${tenant} eq ${sibling.tenantId})` })] : []),
          ...(many
            ? [list(at, { ...one, $orderby: `${name}/$count` }), list(at, { $filter: `${kind.key} eq ${key} and ${name}/$count gt 0` })]
            : []),
        ];
      }),
    ];
  });
  const ofActions = allActions()
    .filter(({ method, path, content }) => method === 'GET' && content === undefined && !ofInstallation.test(path))
    .flatMap((action) => addressesOf(action, tenantId));
  return [...new Set([...ofKinds, ...ofRows, ...ofActions])];
}

/** What differs from one answer to the next: times and ids of requests. */
const passing = /"(requestId|personId)":"[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

const callerOf = (name: string): TestCaller => readers[name]?.() ?? holder([]);

async function answersOf(name: string): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const address of addresses((name.includes('another') ? outside : mine).tenantId)) {
    const { status, text } = await world.call(callerOf(name), 'GET', address);
    expect([address, status]).not.toEqual([address, 429]);
    answers.set(address, `${status} ${text.replaceAll(passing, '')}`);
  }
  return answers;
}

let uses = 0;
/** Answers to a person of a tenant of the group, before another tenant used the rows. */
let firstAnswers: Map<string, string>;

beforeAll(async () => {
  world = await createWorld();
  [mine, sibling, outside] = [await world.tenant('Mine'), await world.tenant(`${secret} Trading`), await world.tenant('Outside')];
  const group = await world.call(everywhere, 'PUT', '/v1/tenantGroups', {
    name: `${secret} and others`,
    tenantIds: [mine.tenantId, sibling.tenantId],
  });
  groupId = String(group.body['tenantGroupId']);
  for (const r of shared) rows.push(await sharedRow(r, null));
  for (const r of ofGroups) rows.push(await sharedRow(r, groupId));
  readers = {
    'a person of a tenant of the group': () => holder([mine.tenantId]),
    'a person of another tenant': () => holder([outside.tenantId]),
    'a token of a tenant of the group': () => ({
      ...holder([mine.tenantId]),
      actor: { kind: 'token', id: crypto.randomUUID(), name: 'Script', scopes: [] },
    }),
  };
  firstAnswers = await answersOf('a person of a tenant of the group');
  uses = await useInSibling();
}, 120_000);
afterAll(() => world.close());

it('[PERM-030] answers the same to a member of the group, whatever another tenant does with shared rows', async () => {
  // Each kind that others name is used by the other tenant.
  expect(uses).toBeGreaterThan(30);
  const after = await answersOf('a person of a tenant of the group');
  const different = [...after].flatMap(([address, answer]) =>
    firstAnswers.get(address) === answer ? [] : [`${address}: ${firstAnswers.get(address)} -> ${answer}`.slice(0, 2_000)],
  );
  expect(different).toEqual([]);
  expect(after.size).toBeGreaterThan(300);
});

it.each(['a person of a tenant of the group', 'a person of another tenant', 'a token of a tenant of the group'])(
  '[PERM-030] tells %s neither name nor id of another tenant',
  async (name) => {
    const answers = await answersOf(name);
    const telling = [...answers].filter(
      ([address, answer]) =>
        !address.includes(secret) && [secret, sibling.tenantId, sibling.subscriptionId].some((text) => answer.includes(text)),
    );
    expect(telling.map(([address, answer]) => `${address}: ${answer}`.slice(0, 2_000))).toEqual([]);
  },
);

describe('a row of many tenants', () => {
  const stateOf = async (): Promise<string[]> =>
    Promise.all(rows.map(async ({ kind, key }) => (await world.call(everywhere, 'GET', `/v1/${kind.name}(${key})`)).text));

  it('[PERM-030] is neither changed nor deleted nor restored by people without the right in all tenants', async () => {
    const before = await stateOf();
    const callers = {
      ...readers,
      // Who has the right in each tenant of a group today might not have it tomorrow, when the group has another.
      'a person of all tenants of the group': () => holder([mine.tenantId, sibling.tenantId]),
    };
    const { value: entries = [] } = (
      await world.call(everywhere, 'GET', `/v1/audit?$filter=tenantId eq null and verb eq 'create'&$top=1000`)
    ).body;
    const done: unknown[] = [];
    for (const [name, make] of Object.entries(callers)) {
      for (const { kind, key, groupId } of rows) {
        const status = (await world.call(make(), 'GET', `/v1/${kind.name}(${key})`)).status;
        if (groupId && !hidden.has(kind.name) && name !== 'a person of another tenant')
          expect([name, kind.name, status]).toEqual([name, kind.name, 200]);
        if (groupId && name === 'a person of another tenant') expect([kind.name, status]).toEqual([kind.name, 404]);
        const at = `/v1/${kind.name}/${key}`;
        const refused = status === 404 ? 404 : 403;
        const attempts = [
          ['update', await world.call(make(), 'POST', at, { [kind.title]: 'Taken' })],
          [
            'update',
            await world.call(make(), 'PATCH', at, [{ op: 'replace', path: `/${kind.title}`, value: 'Taken' }], {
              'content-type': 'application/json-patch+json',
            }),
          ],
          ['delete', await world.call(make(), 'DELETE', at)],
        ] as const;
        for (const [verb, { status, text }] of attempts) {
          if (status !== (kind.verbs.includes(verb) ? refused : 405)) done.push([name, kind.name, groupId, verb, status, text]);
        }
      }
      for (const { auditId, entity } of entries) {
        const { status, text } = await world.call(make(), 'POST', '/v1/configuration/restore', { auditId, dryRun: true });
        if (status !== 404) done.push([name, entity, 'restore', status, text]);
      }
    }
    expect(done).toEqual([]);
    expect(entries.length).toBeGreaterThan(10);
    expect(await stateOf()).toEqual(before);
  });

  it('does not tell the name of its group to who does not see all tenants of it', async () => {
    const answers = ofGroups.flatMap((r) => [
      `/v1/${r.name}?$filter=tenantGroup/name eq '${secret} and others'`,
      `/v1/${r.name}?$filter=startswith(tenantGroup/name,'Z')`,
      `/v1/${r.name}?$apply=filter(tenantGroupId eq ${groupId})/groupby((tenantGroup/name))`,
    ]);
    for (const address of answers) {
      const { text, body } = await world.call(holder([mine.tenantId]), 'GET', address);
      expect([address, body.value?.length ?? 0, text.includes(`${secret} and`)]).toEqual([
        address,
        address.includes('$apply') ? expect.any(Number) : 0,
        false,
      ]);
      const answer = await world.call(everywhere, 'GET', address);
      expect([address, answer.status, answer.text.includes(secret) || answer.body.value?.length]).toEqual([
        address,
        200,
        expect.anything(),
      ]);
    }
  });
});
