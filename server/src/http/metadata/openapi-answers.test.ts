/** What the API description says of answers, against answers of a real server: headers, statuses and examples. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { folderStore } from '../../features/packages/folder-store.ts';
import { allActions } from '../../testing/all-actions.ts';
import { testPackageKey } from '../../testing/packages/key.ts';
import { manifestOf, multipartOf, packageZip } from '../../testing/packages/zip.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { typeName } from './names.ts';
import { rawRoutes } from '../raw-calls.ts';
import type { ApiOperation } from './openapi-parts.ts';
import { openApi } from './openapi.ts';

type Schema = Record<string, unknown>;
interface Components {
  schemas: Record<string, object>;
  examples: Record<string, { value: unknown }>;
  parameters: Record<string, { name: string }>;
  responses: Record<string, { headers?: object }>;
}

const description = openApi(resources, allActions(), { version: '1.0.0', publicUrl: 'http://localhost' });
const components = description.components as Components;
const operations = Object.entries(description.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ path, method, operation: operation as ApiOperation })),
);
const last = (ref: string): string => ref.split('/').at(-1) ?? '';

function operationOf(path: string, method: string): ApiOperation {
  const operation = operations.find((operation) => operation.path === path && operation.method === method)?.operation;
  if (!operation) throw new Error(`${method} ${path} is not described.`);
  return operation;
}

function parameterNames(path: string, method: string): string[] {
  const { parameters = [] } = operationOf(path, method);
  return parameters.map(
    (parameter) =>
      ('$ref' in parameter ? components.parameters[last(String(parameter.$ref))]?.name : (parameter as { name: string }).name) ?? '',
  );
}

/** Returns the names of the headers that the description has for an answer; undefined for a status that it does not name. */
function headersOf(path: string, method: string, status: number): string[] | undefined {
  const answer = operationOf(path, method).responses[status] as { $ref?: string; headers?: object } | undefined;
  if (!answer) return undefined;
  const { headers = {} } = answer.$ref === undefined ? answer : (components.responses[last(answer.$ref)] ?? {});
  return Object.keys(headers).map((name) => name.toLowerCase());
}

describe('the description', () => {
  it('names each status by itself, and the refusals of each call', () => {
    for (const { path, method, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect([path, method, statuses.filter((status) => !/^(?:\d{3}|default)$/.test(status))]).toEqual([path, method, []]);
      expect(statuses).toEqual(expect.arrayContaining(['400', '429', '503', 'default']));
      if ((operation.security ?? []).length > 0) expect(statuses).toEqual(expect.arrayContaining(['401', '403']));
      if (operation.requestBody) expect(statuses).toEqual(expect.arrayContaining(['409', '413', '415']));
    }
    expect(Object.keys(operationOf('/v1/signOut', 'post').responses)).toContain('204');
  });

  it('has the headers and options that a client may send', () => {
    expect(parameterNames('/v1/workUnits', 'get')).toEqual(
      expect.arrayContaining(['$compute', '$apply', '$skiptoken', '$format', 'countUpTo', 'Prefer', 'If-None-Match']),
    );
    expect(parameterNames('/v1/workUnits/{workUnitId}/notes', 'get')).toEqual(
      expect.arrayContaining(['$search', '$skiptoken', 'countUpTo']),
    );
    for (const method of ['put', 'post'])
      expect(parameterNames('/v1/workUnits', method)).toEqual(expect.arrayContaining(['Idempotency-Key', 'Prefer']));
    for (const method of ['post', 'patch'])
      expect(parameterNames('/v1/workUnits/{workUnitId}', method)).toEqual(expect.arrayContaining(['If-Match', 'Prefer']));
    expect(parameterNames('/v1/$batch', 'post')).toContain('Prefer');
    expect(JSON.stringify(description.paths['/v1/packets'])).toContain('"application/x-ndjson":{"schema"');
  });

  it('names operations after their entity', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(names).toEqual(
      expect.arrayContaining(['listUnitMatches', 'getUnitMatch', 'countWorkUnitNotes', 'createWorkUnitNote', 'listAudit', 'getAuditEntry']),
    );
    expect(names).toEqual(expect.arrayContaining(['listPeople', 'getPerson', 'getControlStatus', 'listActionTries', 'getActionTry']));
    expect(names.filter((name) => /OfA(?=[A-Z])/.test(name))).toEqual([]);
  });

  it('has the forms, files and parts of files that calls take and answer', () => {
    const bodyOf = (path: string) => (operationOf(path, 'post').requestBody as { content: Record<string, { schema: Schema }> }).content;
    expect(Object.keys(bodyOf('/v1/agent/token'))).toEqual(['application/x-www-form-urlencoded']);
    expect(JSON.stringify(operationOf('/v1/agent/token', 'post').responses['400'])).toContain('authorization_pending');
    expect(bodyOf('/v1/packages/upload')['multipart/form-data']?.schema).toMatchObject({
      required: ['file-1', 'label'],
      properties: { 'file-1': { format: 'binary' }, label: {}, tenantId: {}, 'signature-1': {} },
    });
    const content = '/v1/packages/{packageId}/versions/{packageVersionId}/content';
    expect(parameterNames(content, 'get')).toEqual(expect.arrayContaining(['Range', 'If-Range', 'If-None-Match']));
    expect(parameterNames('/v1/changes', 'get')).toEqual(['seconds', 'Last-Event-ID']);
    expect(headersOf('/v1/packets', 'post', 200)).toContain('cloudfit-packets');
    expect(headersOf('/v1/packets', 'post', 400)).toContain('cloudfit-packets');
    expect(parameterNames('/v1/controlsets/Export()', 'post')).toContain('$filter');
  });

  it('has lists whose items are described, and texts whose patterns any validator reads', () => {
    const faults: string[] = [];
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if ('type' in value && value.type === 'array' && !('items' in value && value.items)) faults.push(at);
      if ('pattern' in value && typeof value.pattern === 'string' && value.pattern.includes(String.raw`\p{Cs}`)) faults.push(at);
      for (const [key, inner] of Object.entries(value)) if (key !== 'examples') look(inner, `${at}/${key}`);
    };
    look({ paths: description.paths, schemas: components.schemas }, '');
    expect(faults).toEqual([]);
  });

  it('has an example of each row and of each body that creates or changes one, which its schema allows', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'api', components: { schemas: components.schemas } });
    const names = resources.flatMap((resource) => {
      const type = typeName(resource);
      const below = Object.keys(components.schemas).filter((name) => name.startsWith(`${type}CreateWithout`));
      return [type, `${type}Page`, `${type}Create`, `${type}Update`, ...below].filter((name) => name in components.schemas);
    });
    expect(Object.keys(components.examples).toSorted()).toEqual([...new Set(names)].toSorted());
    const wrong = names.flatMap((name) => {
      const check = ajv.compile({ $ref: `api#/components/schemas/${name}` });
      return check(components.examples[name]?.value) ? [] : [[name, ajv.errorsText(check.errors)]];
    });
    expect(wrong).toEqual([]);
  }, 60_000);
});

describe('answers of the server', () => {
  let world: TestWorld;
  let tenantId: string;
  let me: TestCaller;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'described-'));
    const files = {
      store: folderStore(join(folder, 'stored')),
      key: testPackageKey(),
      incoming: join(folder, 'incoming'),
      maxBytes: 2 ** 20,
    };
    world = await createWorld({ rawRoutes: rawRoutes({ files } as Parameters<typeof rawRoutes>[0]) });
    ({ tenantId } = await world.tenant());
    me = { ...holder([tenantId]), actor: { kind: 'token', id: crypto.randomUUID(), name: 'program', scopes: [] } };
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Headers of HTTP itself and of browsers, which no client of the API reads. */
  const general =
    /^(?:date|connection|keep-alive|content-(?!range|disposition)|transfer-encoding|cache-control|vary|cross-origin|origin-agent|referrer|strict-|x-(?!request)|permissions-)/;

  /** Fails unless the description has the status, and each header of the answer. */
  function requireDescribed(path: string, method: string, { status, headers }: WorldReply): void {
    const described = headersOf(path, method.toLowerCase(), status);
    expect([path, method, status, described]).toEqual([path, method, status, expect.anything()]);
    const silent = Object.keys(headers).filter((name) => !general.test(name) && described?.includes(name) !== true);
    expect([path, method, status, silent]).toEqual([path, method, status, []]);
  }

  it('have the headers that it names, and no other', async () => {
    const example = components.examples['WorkUnitCreate']?.value as object;
    const created = await world.call(
      me,
      'POST',
      '/v1/workUnits',
      { ...example, tenantId },
      { 'idempotency-key': 'a', prefer: 'return=representation' },
    );
    const row = `/v1/workUnits/${String(created.body['workUnitId'])}`;
    const one = '/v1/workUnits/{workUnitId}';
    const etag = String((await world.call(me, 'GET', row)).headers['etag']);
    const calls: [string, string, string, unknown, Record<string, string>, number][] = [
      ['/v1/workUnits', 'GET', '/v1/workUnits?$top=1&$count=true&countUpTo=5', undefined, { prefer: 'maxpagesize=1' }, 200],
      [one, 'GET', row, undefined, {}, 200],
      [one, 'GET', row, undefined, { 'if-none-match': etag }, 304],
      [one, 'GET', '/v1/workUnits/999999999', undefined, {}, 404],
      [one, 'PATCH', row, { title: 'The till prints blanks' }, { 'if-match': etag }, 200],
      [one, 'PATCH', row, { title: 'The till prints' }, { 'if-match': etag }, 412],
      [one, 'PATCH', row, { title: 'The till prints' }, { prefer: 'return=minimal' }, 204],
      [one, 'PATCH', row, components.examples['WorkUnitUpdate']?.value, {}, 200],
      ['/v1/workUnits', 'POST', '/v1/workUnits', {}, {}, 400],
      ['/v1/workUnits/Export', 'GET', '/v1/workUnits/Export?$top=1', undefined, {}, 200],
      ['/v1/workUnits/$count', 'GET', '/v1/workUnits/$count', undefined, {}, 200],
      ['/v1/$batch', 'POST', '/v1/$batch', { requests: [] }, {}, 200],
      ['/v1/openapi.json', 'GET', '/v1/openapi.json', undefined, {}, 200],
    ];
    expect([created.status, created.headers['x-request-id']]).toEqual([201, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(headersOf('/v1/workUnits', 'post', 201)).toEqual(expect.arrayContaining(['location', 'odata-entityid', 'etag', 'x-request-id']));
    for (const [path, method, url, body, headers, status] of calls) {
      const answer = await world.call(me, method, url, body, headers);
      expect([url, answer.status]).toEqual([url, status]);
      requireDescribed(path, method, answer);
    }
  });

  it('have the status and headers that it names for uploads and parts of files', async () => {
    const form = multipartOf({ label: 'A build', tenantId }, [await packageZip(manifestOf({}))]);
    const uploaded = await world.call(me, 'POST', '/v1/packages/upload', form.body, form.headers);
    expect(uploaded.status).toBe(201);
    requireDescribed('/v1/packages/upload', 'POST', uploaded);
    const { packageId, packageVersionId } = uploaded.body.value?.[0] ?? {};
    const path = '/v1/packages/{packageId}/versions/{packageVersionId}/content';
    const url = path.replace('{packageId}', String(packageId)).replace('{packageVersionId}', String(packageVersionId));
    const etag = String((await world.call(me, 'GET', url)).headers['etag']);
    for (const [headers, status] of [
      [{}, 200],
      [{ range: 'bytes=0-9' }, 206],
      [{ 'if-none-match': etag }, 304],
      [{ range: 'bytes=99999999-' }, 416],
    ] as const) {
      const answer = await world.call(me, 'GET', url, undefined, headers);
      expect(answer.status).toBe(status);
      requireDescribed(path, 'GET', answer);
      const { content = {} } = operationOf(path, 'get').responses[status] as { content?: object };
      if (status < 300) expect(Object.keys(content)).toEqual([answer.headers['content-type']]);
    }
  });

  it('create rows of related lists where it says so, and nowhere else', async () => {
    const below = Object.keys(description.paths).filter((path) => /^\/v1\/\w+\/\{\w+\}\/\w+$/.test(path));
    const keyless = (path: string): string =>
      path
        .toLowerCase()
        .replaceAll(/\(?\{\w+\}\)?/g, '{}')
        .replace('{}', '/{}')
        .replace('//', '/');
    const ofActions = new Set(allActions().map(({ path }) => keyless(path)));
    const relations = below.filter((path) => {
      const [, , set = '', , name = ''] = path.split('/');
      return resources.some((resource) => resource.name === set && resource.relations[name] !== undefined) && !ofActions.has(keyless(path));
    });
    expect(relations.length).toBeGreaterThan(100);
    for (const path of relations) {
      const { headers } = await world.call(me, 'OPTIONS', path.replace(/\{\w+\}/, '1'));
      const takes = String(headers['allow']).split(', ').includes('POST');
      expect([path, takes]).toEqual([path, 'post' in (description.paths[path] ?? {})]);
    }
    const unit = await world.call(me, 'POST', '/v1/workUnits', { ...(components.examples['WorkUnitCreate']?.value as object), tenantId });
    const notes = '/v1/workUnits/{workUnitId}/notes';
    const body = { detail: 'By its address.' };
    const { schema } =
      (operationOf(notes, 'post').requestBody as { content: Record<string, { schema: Schema }> }).content['application/json'] ?? {};
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'api', components: { schemas: components.schemas } });
    expect(ajv.validate({ $ref: `api${String(schema?.['$ref'])}` }, body)).toBe(true);
    const added = await world.call(me, 'POST', notes.replace('{workUnitId}', String(unit.body['workUnitId'])), body);
    expect(added.status).toBe(201);
    requireDescribed(notes, 'POST', added);
  });

  it('name the version of the server, also when they refuse, as the description does', async () => {
    const { info } = (await world.call(me, 'GET', '/v1/openapi.json')).body as { info?: { version?: string } };
    for (const [caller, status] of [
      [me, 200],
      [null, 401],
    ] as const) {
      const answer = await world.call(caller, 'GET', '/v1/workUnits?$top=1');
      expect([answer.status, answer.headers['cloudfit-version']]).toEqual([status, info?.version]);
    }
  });

  it('let any token read the descriptions', async () => {
    const scopes: TestCaller[] = (['agent', 'ingest'] as const).map((scope) => ({
      tenants: [tenantId],
      permissions: new Map(),
      actor: { kind: 'token', id: crypto.randomUUID(), name: scope, scopes: [scope] },
    }));
    for (const caller of scopes)
      for (const url of ['/v1/openapi.json', '/v1/$metadata', '/v1/']) expect((await world.call(caller, 'GET', url)).status).toBe(200);
  });
});
