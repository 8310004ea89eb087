/** The API description: valid, complete, and equal to the declarations. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { allActions } from '../../testing/all-actions.ts';
import { openApi } from './openapi.ts';

const actions = allActions();
const description = openApi(resources, actions, { version: '1.0.0', publicUrl: 'http://localhost' });
const operations = Object.entries(description.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ path, method, ...(operation as { operationId: string; description: string; security: object[] }) })),
);

describe('/v1/openapi.json', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(description) as unknown as Record<string, unknown>);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('refers to nothing that it does not have', () => {
    const text = JSON.stringify(description);
    for (const [, address = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      let at: unknown = description;
      for (const part of address.split('/')) at = (at as Record<string, unknown> | undefined)?.[part];
      expect([address, at === undefined]).toEqual([address, false]);
    }
  });

  it('names every operation once and says who may call it', () => {
    expect(new Set(operations.map((o) => o.operationId)).size).toBe(operations.length);
    for (const { path, method, description: who, security } of operations) {
      expect([path, method, Array.isArray(security)]).toEqual([path, method, true]);
      expect(who).toMatch(/^(Needs the permission `CloudFit\.CFS\.|Needs a tenant token|For everyone who is signed in|Open to everyone)/);
    }
  });

  it('gives every field of a row a type', () => {
    const { schemas } = description.components as { schemas: Record<string, { properties?: Record<string, Record<string, unknown>> }> };
    const untyped = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, schema]) => {
        const forms = (schema['anyOf'] ?? [schema]) as Record<string, unknown>[];
        return forms.every((form) => ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf'].some((key) => key in form))
          ? []
          : [`${name}.${field}`];
      }),
    );
    expect(untyped).toEqual([]);
    expect(schemas['WorkUnit']?.properties?.['tenantId']).toMatchObject({ type: 'string' });
    expect(JSON.stringify(schemas)).not.toContain('{"type":"object"}');
  });

  it('says in a sentence what each action does', () => {
    const silent = actions.filter(({ about }) => !/^[A-Z`].*\.$/.test(about ?? ''));
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('names the type of a row that an action answers, and of a related row', () => {
    const answer = (path: string, method: string) => JSON.stringify(description.paths[path]?.[method]);
    for (const call of ['start', '{id}/stop', '{id}/continue', '{id}/retryFailed'])
      expect(answer(`/v1/campaigns/${call}`, 'post')).toContain('"$ref":"#/components/schemas/Campaign"');
    expect(answer('/v1/workUnits/{workUnitId}/tenant', 'get')).toContain('"$ref":"#/components/schemas/Tenant"');
    expect(answer('/v1/workUnits/{workUnitId}/notes', 'get')).toContain('"$ref":"#/components/schemas/NotePage"');
    const listed = resources.flatMap(({ name, key, relations }) => Object.keys(relations).map((item) => `/v1/${name}/{${key}}/${item}`));
    expect(listed.filter((path) => !description.paths[path])).toEqual([]);
  });

  it('says what the calls and sets are whose names do not say it, and describes the batch', () => {
    const textOf = (path: string, method: string) => operations.find((o) => o.path === path && o.method === method)?.description;
    expect(textOf('/v1/onCallHandovers/{id}/note', 'post')).toContain('up to a day after the handover');
    expect(textOf('/v1/campaigns/start', 'post')).toContain('ring by ring');
    expect(textOf('/v1/complianceReport/GetVersionsOverTime(days={days})', 'get')).toContain('each version of a package');
    expect(textOf('/v1/maintenance/now', 'post')).toContain('in maintenance now');
    expect(description.tags.find(({ name }) => name === 'Status Pages')?.description).toContain('anybody can open');
    expect(textOf('/v1/$batch', 'post')).toContain('At most 100 calls');
  });

  it('says what a packet has', () => {
    const text = JSON.stringify(description.paths['/v1/packets']);
    for (const name of ['entityId', 'timestamp', 'messageId', 'message', 'Metrics', 'States', 'Value'])
      expect(text).toContain(`"${name}":{`);
  });

  it('has every verb of every resource and every action', () => {
    for (const { name, key, verbs } of resources) {
      expect([name, Object.keys(description.paths[`/v1/${name}`] ?? {})]).toEqual([
        name,
        expect.arrayContaining(verbs.includes('create') ? ['get', 'put', 'post'] : ['get']),
      ]);
      expect(Object.keys(description.paths[`/v1/${name}/{${key}}`] ?? {})).toEqual(
        expect.arrayContaining([
          'get',
          ...(verbs.includes('update') ? ['post', 'patch'] : []),
          ...(verbs.includes('delete') ? ['delete'] : []),
        ]),
      );
    }
    expect(operations.map((o) => o.operationId)).toEqual(expect.arrayContaining(actions.map((a) => a.name)));
  });
});
