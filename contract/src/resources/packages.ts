import { z } from 'zod/mini';
import { executableTypes, packageTypes } from '../enums.ts';
import { parameterDefinition } from '../packages/parameters.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';

const webAddress = /^(https?:\/\/\S+)?$/i;

/** Software for devices with its operations (PKG-009). A package without a tenant is global. */
export const packages = defineResource({
  name: 'packages',
  label: 'Package',
  plural: 'Packages',
  key: 'packageId',
  title: 'name',
  area: 'Packages',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  fields: {
    packageId: f.key('Package ID'),
    name: f.text('Name', { required: true, search: true }),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    description: optional(f.text('Description', { max: 4_000 })),
    packageTypeId: f.code('Package Type', packageTypes, { required: true }),
    executableName: optional(f.text('Executable')),
    executableTypeId: f.code('Executable Type', executableTypes, { required: true }),
    referenceUrl: optional(
      f.text('Reference URL', { max: 500, pattern: webAddress, message: 'Please enter an address that starts with http.' }),
    ),
    operatingSystemRidsId: f.int('Supported Operating Systems', {
      min: 0,
      max: 7,
      initial: 0,
      help: 'Sum of 1 WinX64, 2 OsxX64 and 4 LinuxX64; 0 is any',
    }),
    parameterDefinitions: f.json('Parameters', () => z.array(parameterDefinition).check(z.maxLength(100)), { initial: [] }),
    /** Whether the package comes with the server. The server keeps it up to date; nobody edits or deletes it. */
    isBuiltIn: f.boolean('Built-in', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    operations: many('operations', 'packageId'),
    packageVersions: many('packageVersions', 'packageId'),
  },
});
