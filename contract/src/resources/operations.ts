import { z } from 'zod/mini';
import { frequencyTypes, operationResultTypes, operationTypes } from '../enums.ts';
import { parameterDefinition } from '../packages/parameters.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';

const frequency = z.int().check(z.refine((v) => frequencyTypes.some((t) => t.value === v), 'A frequency is 1, 2 or 3.'));

/** What a package can do on a device (OPR-024); declared by the manifest of its latest version. */
export const operations = defineResource({
  name: 'operations',
  label: 'Operation',
  plural: 'Operations',
  key: 'operationId',
  title: 'name',
  area: 'Packages',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'name asc',
  softDelete: 'isDeleted',
  fields: {
    operationId: f.key('Operation ID'),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    packageId: optional(f.ref('Package', 'packages', { write: 'create' })),
    name: f.text('Name', { required: true, search: true, write: 'create' }),
    description: optional(f.text('Description', { max: 4_000, search: true })),
    parameterDefinitions: f.json('Parameters', () => z.array(parameterDefinition).check(z.maxLength(100)), { initial: [] }),
    /** Frequency types that a device operation may choose from (OPR-048). */
    frequencyDefinitions: f.json('Frequencies', () => z.array(frequency).check(z.minLength(1), z.maxLength(3)), { required: true }),
    defaultInterval: f.duration('Default interval', { initial: '00:05:00' }),
    operationTypeId: f.code('Operation type', operationTypes, { initial: 0 }),
    operationResultTypeId: f.code('Result type', operationResultTypes, { initial: 1 }),
    isDeleted: f.boolean('Deleted', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    package: one('packages', 'packageId'),
    tenant: one('tenants', 'tenantId'),
    deviceOperations: many('deviceOperations', 'operationId'),
  },
});
