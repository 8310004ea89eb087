/** Random requests to all declared resources and actions, and to undeclared paths. */
import type { Action } from '@cloudfit/contract/action.ts';
import type { Resource, Verb } from '@cloudfit/contract/resource.ts';
import { actionInput, changedSample, partOf, patch } from './bodies.ts';
import type { Chance } from './chance.ts';
import { Queries } from './queries.ts';
import { anyJson, anyText, noGuid, type Ids } from './values.ts';

export interface FuzzRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface FuzzSurface {
  resources: readonly Resource[];
  actions: readonly Action[];
  ids: Ids;
  /** Bodies that create a row, by resource. */
  samples: ReadonlyMap<string, Record<string, unknown>>;
  /** Keys of rows, by resource. */
  keys: ReadonlyMap<string, readonly string[]>;
}

const strangeBodies = [
  '',
  '{',
  '[]',
  '""',
  'null',
  '1',
  '{"a":',
  `${'['.repeat(70)}${']'.repeat(70)}`,
  '{"__proto__":{"x":1}}',
  '\uFEFF{}',
  '{"a":1,"a":2}',
] as const;

export function requests(c: Chance, surface: FuzzSurface, seed: number): () => FuzzRequest {
  const queries = new Queries(c, surface.ids, seed);

  function key(r: Resource): string {
    if (c.once(6))
      return c.pick([
        noGuid,
        '0',
        '1',
        '-1',
        '99999999999999999999',
        "'x'",
        '()',
        '%00',
        'x',
        '1e3',
        encodeURIComponent(anyText(c).toWellFormed()),
      ]);
    return c.some(surface.keys.get(r.name) ?? []) ?? noGuid;
  }

  function headers(hasBody: boolean): Record<string, string> {
    const chosen: Record<string, string> = hasBody ? { 'content-type': 'application/json' } : {};
    const extra: readonly [string, string][] = [
      [
        'content-type',
        c.pick([
          'application/json-patch+json',
          'application/merge-patch+json',
          'text/plain',
          'application/json;IEEE754Compatible=true',
          'x',
        ]),
      ],
      [
        'accept',
        c.pick([
          '*/*',
          'application/json',
          'application/xml',
          'text/csv',
          'application/json;IEEE754Compatible=true',
          ';;,',
          'application/json;odata.metadata=full',
        ]),
      ],
      ['if-match', c.pick(['*', 'W/"1"', '"x"', 'x', 'W/"99999999999999999999"', ''])],
      ['if-none-match', c.pick(['*', 'W/"1"', 'x', '"', 'W/"1-abc"'])],
      ['prefer', c.pick(['return=minimal', 'return=representation', 'odata.maxpagesize=2', 'maxpagesize=0', 'maxpagesize=x', ',;='])],
      ['odata-maxversion', c.pick(['4.0', '3.0', 'x'])],
      ['idempotency-key', c.pick(['a', 'b', '', 'x'.repeat(500)])],
      ['x-correlation-id', anyText(c).replaceAll(/[^\x20-\x7e]/g, '')],
    ];
    for (const one of c.times(2, () => c.some(extra))) if (one && c.once(3)) chosen[one[0]] = one[1];
    return chosen;
  }

  function withQuery(path: string, r: Resource | undefined): string {
    const query = r ? queries.of(r) : '';
    return query === '' ? path : `${path}?${query}`;
  }

  function sent(method: string, url: string, value?: unknown): FuzzRequest {
    if (value === undefined) return { method, url, headers: headers(false) };
    const body = c.once(25) ? (c.some(strangeBodies) ?? '') : JSON.stringify(value);
    return { method, url, headers: headers(true), body };
  }

  function onResource(): FuzzRequest {
    const r = c.some(surface.resources);
    if (!r) throw new Error('There are no resources.');
    const set = c.once(10) ? `/api/v1/${r.name.toUpperCase()}` : `/v1/${r.name}`;
    const row = c.once(2) ? `${set}(${key(r)})` : `${set}/${key(r)}`;
    const sample = surface.samples.get(r.name) ?? {};
    const may = (verb: Verb): boolean => r.verbs.includes(verb) || c.once(8);
    switch (c.below(20)) {
      case 0:
      case 1:
        return sent('GET', withQuery(row, r));
      case 2:
        return sent('GET', withQuery(`${set}/$count`, r));
      case 3:
      case 4:
      case 5:
        if (!may('create')) break;
        return sent(c.once(5) ? 'POST' : 'PUT', set, c.once(5) ? partOf(c, r, surface.ids) : changedSample(c, r, sample, surface.ids));
      case 6:
      case 7:
        if (!may('update')) break;
        return sent('POST', row, c.once(2) ? partOf(c, r, surface.ids) : changedSample(c, r, sample, surface.ids));
      case 8:
      case 9:
        if (!may('update')) break;
        return sent('PATCH', row, patch(c, r, surface.ids));
      case 10:
        // Deleted rows cannot be queried, so few are deleted.
        return may('delete') && c.once(6) ? sent('DELETE', row) : sent('HEAD', withQuery(set, r));
    }
    return sent('GET', withQuery(set, r));
  }

  function onAction(): FuzzRequest {
    const action = c.some(surface.actions);
    if (!action) throw new Error('There are no actions.');
    const { path, rest } = actionInput(c, action, surface.ids);
    if (action.method === 'POST' || action.method === 'PUT') return sent(action.method, path, c.once(12) ? anyJson(c, surface.ids) : rest);
    const parameters = Object.entries(rest).map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`);
    const of = 'of' in action ? surface.resources.find((r) => r.name === action.of) : undefined;
    return sent(action.method, [withQuery(path, of), parameters.join('&')].filter((part) => part !== '').join(of ? '&' : '?'));
  }

  function anywhere(): FuzzRequest {
    const path = c
      .times(3, () =>
        c.pick([
          'v1',
          'api',
          '$metadata',
          '$batch',
          '..',
          '%2e%2e',
          'tenants',
          '$count',
          `tenants(${queries.noise()})`,
          queries.noise(),
          '%',
        ]),
      )
      .join('/');
    return sent(
      c.pick(['GET', 'PUT', 'POST', 'PATCH', 'DELETE']),
      `/${c.pick(['v1', 'api', 'api/v1'])}/${path}`,
      c.once(2) ? anyJson(c, surface.ids) : undefined,
    );
  }

  return () => {
    const kind = c.below(20);
    if (kind < 14) return onResource();
    return kind < 19 ? onAction() : anywhere();
  };
}
