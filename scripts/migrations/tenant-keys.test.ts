import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordedSchema } from '../../server/src/db/schema.ts';
import { judgeTenantKeys, type TenantKeyExceptions } from './tenant-keys.ts';

const exceptions = JSON.parse(readFileSync(join(import.meta.dirname, 'tenant-keys.json'), 'utf8')) as TenantKeyExceptions;
const none = { primaryKeys: [], foreignKeys: [] };
const schema = {
  'column device.tenant_id': 'uuid not null',
  'constraint device.device_pkey': 'PRIMARY KEY (tenant_id, device_id)',
  'constraint device.device_tenant_id_fkey': 'FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id)',
  'column tenant.tenant_id': 'uuid not null',
  'constraint tenant.tenant_pkey': 'PRIMARY KEY (tenant_id)',
  'column rule.tenant_id': 'uuid',
  'constraint rule.rule_pkey': 'PRIMARY KEY (rule_id)',
  'constraint package.package_pkey': 'PRIMARY KEY (package_id)',
  'column contact.tenant_id': 'uuid not null',
  'constraint contact.contact_pkey': 'PRIMARY KEY (tenant_id, contact_id)',
  'constraint contact.contact_device_id_fkey':
    'FOREIGN KEY (tenant_id, device_id) REFERENCES device(tenant_id, device_id) ON DELETE CASCADE',
  'constraint contact.contact_rule_id_fkey': 'FOREIGN KEY (rule_id) REFERENCES rule(rule_id)',
};

it('wants the tenant in the keys of tables of tenants, and in no others', () => {
  expect(judgeTenantKeys(schema, none)).toEqual([]);
  const without = {
    ...schema,
    'constraint contact.contact_pkey': 'PRIMARY KEY (contact_id)',
    'constraint contact.contact_device_id_fkey': 'FOREIGN KEY (device_id) REFERENCES device(device_id)',
  };
  expect(judgeTenantKeys(without, none)).toEqual([
    expect.stringMatching(/^The primary key of contact lacks tenant_id\. Make it/),
    expect.stringMatching(/^The foreign key of contact\.contact_device_id_fkey lacks tenant_id\. Refer to/),
  ]);
});

it('refuses an exception that is none', () => {
  expect(judgeTenantKeys(schema, { primaryKeys: ['contact'], foreignKeys: [] })).toEqual([
    'contact is no exception any more: remove it from scripts/migrations/tenant-keys.json.',
  ]);
});

it('the tables of this version have it, but for those of before, which become fewer', async () => {
  expect(judgeTenantKeys((await recordedSchema()).objects, exceptions)).toEqual([]);
  // Lower these with the list, never raise them.
  expect(exceptions.primaryKeys.length).toBeLessThanOrEqual(77);
  expect(exceptions.foreignKeys.length).toBeLessThanOrEqual(65);
});
