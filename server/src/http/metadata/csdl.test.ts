/** Checks the model against the official schemas, and its two forms against each other. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { z } from 'zod';
import { defineAction, defineList, type Action } from '@cloudfit/contract/action.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { allActions } from '../../testing/all-actions.ts';
import { csdlXml } from './csdl-xml.ts';
import { csdl, type Csdl } from './csdl.ts';

const require = createRequire(import.meta.url);
const schemas = join(dirname(require.resolve('odata-csdl/package.json')), 'schemas');
const { xml2json } = require('odata-csdl') as { xml2json: (xml: string, options?: object) => Csdl };
const read = (name: string): string => readFileSync(join(schemas, name), 'utf8');

/** One function of each possible form, in addition to the existing ones. */
const generated = [
  defineList({
    name: 'GetDevicesOfPlace',
    path: '/v1/devices/GetDevicesOfPlace(locationId={locationId},kind={kind})',
    access: { area: 'Devices', verb: 'view' },
    of: 'devices',
    input: z.object({ locationId: guidSchema, kind: z.coerce.number().int().min(0).max(9) }),
  }),
  defineAction({
    name: 'CountDevices',
    method: 'GET',
    path: '/v1/devices/CountDevices()',
    access: 'signed-in',
    input: z.object({}),
    output: z.object({ devices: z.number().int(), note: z.string().nullable(), parts: z.array(z.object({ a: z.boolean() })) }),
  }),
] as readonly unknown[] as Action[];
const all = [...allActions(), ...generated];
const model = csdl(resources, all);
const schema = model['CloudFit'] as Record<string, Record<string, unknown>>;

async function complaints(xml: string): Promise<string[]> {
  const { valid, errors } = await validateXML({
    xml: [{ fileName: 'metadata.xml', contents: xml }],
    schema: [{ fileName: 'edmx.xsd', contents: read('edmx.xsd') }],
    preload: [{ fileName: 'edm.xsd', contents: read('edm.xsd') }],
  });
  return valid ? [] : errors.map((e) => e.message);
}

describe('$metadata', () => {
  it('is valid XML by the schemas of OASIS', async () => {
    const xml = csdlXml(csdl(resources, all, 'xml'));
    expect(await complaints(xml)).toEqual([]);
    expect(await complaints(xml.replace('<Key>', '<Keys>').replace('</Key>', '</Keys>'))).not.toEqual([]);
  });

  it('is valid JSON by the schema of OASIS', () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(read('csdl.schema.json')) as object);
    validate(model);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('says the same in both forms', () => {
    const { $Reference: _xml, ...converted } = xml2json(csdlXml(csdl(resources, all, 'xml')));
    const { $Reference: _json, ...schemas } = model;
    expect(converted).toEqual(schemas);
  });

  it('names every resource with its key, its fields and where its relations lead', () => {
    const container = schema['Container'] as Record<string, { $Type: string; $NavigationPropertyBinding?: object }>;
    for (const resource of resources) {
      const set = container[resource.name];
      const type = schema[set?.$Type.slice('CloudFit.'.length) ?? ''] ?? {};
      expect([resource.name, type['$Key']]).toEqual([resource.name, [resource.key]]);
      const names = Object.keys(type).filter((name) => !/^[$@]/.test(name));
      expect(names.toSorted()).toEqual([...Object.keys(resource.fields), ...Object.keys(resource.relations)].toSorted());
      expect(Object.keys(set?.$NavigationPropertyBinding ?? {})).toEqual(Object.keys(resource.relations));
    }
  });

  it('says what a set and a function are whose names do not say it, in both forms', () => {
    const text = 'How many devices had each version of a package';
    const functions = schema['GetVersionsOverTime'] as unknown as Record<string, unknown>[];
    expect(functions[0]?.['@Core.Description']).toContain(text);
    expect(schema['StatusPage']?.['@Core.Description']).toContain('anybody can open');
    const xml = csdlXml(csdl(resources, all, 'xml'));
    expect(xml).toMatch(
      new RegExp(`<Function Name="GetVersionsOverTime"(?:(?!</Function>).)*<Annotation Term="Core.Description" String="${text}`),
    );
    expect(xml).toMatch(
      /<EntityType Name="StatusPage">(?:(?!<\/EntityType>).)*<\/Property>.*?<Annotation Term="Core.Description" String="A page that anybody/,
    );
  });

  it('tells types, lengths, foreign keys and what cannot be sorted', () => {
    const { WorkUnit, Device } = schema as Record<string, Record<string, unknown>>;
    expect(WorkUnit).toMatchObject({
      workUnitId: { $Type: 'Edm.Int64', '@Core.Computed': true },
      title: { $MaxLength: 500 },
      created: { $Type: 'Edm.DateTimeOffset', $Precision: 3 },
      tenant: { $Type: 'CloudFit.Tenant', $ReferentialConstraint: { tenantId: 'tenantId' } },
    });
    expect(Device?.['location']).toMatchObject({ $Nullable: true });
    expect(Device?.['packet']).not.toHaveProperty('$ReferentialConstraint');
    expect((schema['Container'] as Record<string, object>)['workUnits']).toMatchObject({
      '@Capabilities.SortRestrictions': { NonSortableProperties: expect.arrayContaining(['properties']) },
      '@Capabilities.DeleteRestrictions': { Deletable: false },
    });
  });

  it('declares calls in the form of functions as functions of their set', () => {
    expect(schema['GetDevicesOfPlace']).toMatchObject([
      {
        $Kind: 'Function',
        $IsBound: true,
        $Parameter: [
          { $Type: 'CloudFit.Device', $Collection: true },
          { $Name: 'locationId', $Type: 'Edm.Guid' },
          { $Name: 'kind', $Type: 'Edm.Int32' },
        ],
        $ReturnType: { $Type: 'CloudFit.Device', $Collection: true },
      },
    ]);
    expect(schema['CountDevicesResult']).toMatchObject({
      devices: { $Type: 'Edm.Int64' },
      note: { $Nullable: true },
      parts: { $Type: 'CloudFit.CountDevicesResultPartsItem', $Collection: true },
    });
    expect(schema['GetWorkUnitHistoryRecords']).toMatchObject([{ $ReturnType: { $Collection: true } }]);
  });
});
