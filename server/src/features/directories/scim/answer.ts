/** Answers of SCIM: which call does what, and which attributes of a resource are sent. */
import { createGroup, listGroups, patchGroup, readGroup, removeGroup, replaceGroup } from './groups.ts';
import type { DirectoryCall, DirectoryPage, DirectoryQuery } from './directory-call.ts';
import { ScimRefusal } from './scim-error.ts';
import { listSchema, maxResults, providerConfigOf, resourceTypesOf, schemasOf, usualResults } from './schemas.ts';
import { createUser, listUsers, namesVersion, patchUser, readUser, removeUser, replaceUser, type Versioned } from './users.ts';

interface ScimRequest {
  method: string;
  /** The parts of the path after /scim/v2. */
  path: readonly string[];
  query: URLSearchParams;
  body: () => unknown;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

interface ScimAnswer {
  status: number;
  body?: object;
  headers?: Record<string, string>;
}

/** The parameters of a query, by names in any case. */
type ScimParameters = ReadonlyMap<string, unknown>;

const optionsOf = (query: URLSearchParams): ScimParameters => new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));

function number(options: ScimParameters, name: string, otherwise: number): number {
  const text = options.get(name);
  if (text === undefined || text === null || text === '') return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value)) throw new ScimRefusal(400, `${name} must be a whole number.`, 'invalidValue');
  return value;
}

function listQueryOf(options: ScimParameters): DirectoryQuery {
  const filter = options.get('filter');
  return {
    filter: filter === undefined || filter === null ? undefined : String(filter),
    startIndex: Math.max(1, number(options, 'startindex', 1)),
    count: Math.min(maxResults, Math.max(0, number(options, 'count', usualResults))),
  };
}

function namesIn(options: ScimParameters, name: string): string[] {
  const value = options.get(name);
  const list = Array.isArray(value) ? value.map(String) : value === undefined || value === null ? [] : String(value).split(',');
  return list
    .map((each) =>
      each
        .trim()
        .replace(/^urn:.*:/, '')
        .toLowerCase(),
    )
    .filter((each) => each !== '');
}

const always = new Set(['id', 'schemas', 'meta']);

/** Only the attributes that are asked for, or all but those that are not wanted (RFC 7644, 3.9). A part selects its whole attribute. */
function selected(resource: object, options: ScimParameters): object {
  const included = namesIn(options, 'attributes').map((name) => name.split('.')[0]);
  const excluded = namesIn(options, 'excludedattributes');
  if (included.length === 0 && excluded.length === 0) return resource;
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => {
      const lower = name.toLowerCase();
      if (always.has(lower)) return true;
      return included.length > 0 ? included.includes(lower) : !excluded.includes(lower);
    }),
  );
}

function wantsMembers(options: ScimParameters): boolean {
  const included = namesIn(options, 'attributes');
  if (included.length > 0) return included.some((name) => name.startsWith('members'));
  return !namesIn(options, 'excludedattributes').includes('members');
}

const listed = ({ total, resources }: DirectoryPage, startIndex: number, options: ScimParameters): ScimAnswer => ({
  status: 200,
  body: {
    schemas: [listSchema],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources.map((resource) => selected(resource, options)),
  },
});

const all = (resources: readonly object[]): ScimAnswer => listed({ total: resources.length, resources: [...resources] }, 1, new Map());

function single({ body, version, location }: Versioned, options: ScimParameters, status = 200): ScimAnswer {
  return { status, body: selected(body, options), headers: { etag: `W/"${version}"`, location } };
}

interface Endpoint {
  list(call: DirectoryCall, query: DirectoryQuery, options: ScimParameters): Promise<DirectoryPage>;
  read(call: DirectoryCall, id: string, options: ScimParameters): Promise<Versioned>;
  create(call: DirectoryCall, body: unknown): Promise<Versioned>;
  replace(call: DirectoryCall, id: string, body: unknown, ifMatch?: string): Promise<Versioned>;
  patch(call: DirectoryCall, id: string, body: unknown, ifMatch?: string): Promise<Versioned>;
  remove(call: DirectoryCall, id: string, ifMatch?: string): Promise<void>;
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  users: { list: listUsers, read: readUser, create: createUser, replace: replaceUser, patch: patchUser, remove: removeUser },
  groups: {
    list: (call, query, options) => listGroups(call, query, wantsMembers(options)),
    read: (call, id, options) => readGroup(call, id, wantsMembers(options)),
    create: createGroup,
    replace: replaceGroup,
    patch: patchGroup,
    remove: removeGroup,
  },
};

const unsupported = (method: string, path: string): ScimRefusal => new ScimRefusal(405, `${method} is not possible at ${path}.`);

/** Documents about the service provider itself. */
function about(base: string, [first = '', second]: readonly string[]): ScimAnswer | undefined {
  const find = (list: readonly (object & { id: string })[], id: string): ScimAnswer => {
    const match = list.find((each) => each.id.toLowerCase() === id.toLowerCase());
    if (!match) throw new ScimRefusal(404, `There is no ${id}.`);
    return { status: 200, body: match };
  };
  switch (first.toLowerCase()) {
    case 'serviceproviderconfig':
    case 'serviceproviderconfigs':
      return { status: 200, body: providerConfigOf(base) };
    case 'resourcetypes':
      return second === undefined ? all(resourceTypesOf(base)) : find(resourceTypesOf(base), second);
    case 'schemas':
      return second === undefined ? all(schemasOf(base)) : find(schemasOf(base), second);
    default:
      return undefined;
  }
}

function searchOptions(body: unknown): ScimParameters {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ScimRefusal(400, 'Send a search as a JSON object.', 'invalidSyntax');
  return new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Answers a call of a directory; throws a `ScimRefusal`. */
export async function answerScim(call: DirectoryCall, request: ScimRequest): Promise<ScimAnswer> {
  const { method, path, ifMatch } = request;
  const [first = '', id, ...more] = path;
  const where = `/${path.join('/')}`;
  const document = about(call.base, path);
  if (document) {
    if (method !== 'GET') throw unsupported(method, where);
    // A part of them would be taken for all that is supported (RFC 7644, 4).
    if (optionsOf(request.query).has('filter')) throw new ScimRefusal(403, `${where} is not filtered. Read it as a whole.`);
    return document;
  }
  const endpoint = endpoints[first.toLowerCase()];
  if (!endpoint || more.length > 0) {
    if (/^(?:bulk|me)$/i.test(first)) throw new ScimRefusal(501, `${where} is not supported.`);
    throw new ScimRefusal(404, `There is nothing at ${where}. Users are at /Users, groups at /Groups.`);
  }
  if (id?.toLowerCase() === '.search') {
    if (method !== 'POST') throw unsupported(method, where);
    const options = searchOptions(request.body());
    const query = listQueryOf(options);
    return listed(await endpoint.list(call, query, options), query.startIndex, options);
  }
  const options = optionsOf(request.query);
  if (id === undefined) {
    if (method === 'POST') return single(await endpoint.create(call, request.body()), options, 201);
    if (method !== 'GET') throw unsupported(method, where);
    const query = listQueryOf(options);
    return listed(await endpoint.list(call, query, options), query.startIndex, options);
  }
  switch (method) {
    case 'GET': {
      const resource = await endpoint.read(call, id, options);
      const { headers = {}, ...answer } = single(resource, options);
      return request.ifNoneMatch !== undefined && namesVersion(request.ifNoneMatch, resource.version)
        ? { status: 304, headers }
        : { ...answer, headers };
    }
    case 'PUT':
      return single(await endpoint.replace(call, id, request.body(), ifMatch), options);
    case 'PATCH':
      return single(await endpoint.patch(call, id, request.body(), ifMatch), options);
    case 'DELETE':
      await endpoint.remove(call, id, ifMatch);
      return { status: 204 };
    default:
      throw unsupported(method, where);
  }
}
