/** Calls on packages and versions beyond list, get, create, update and delete. */
import { z } from 'zod';
import { defineAction, defineList } from '../action.ts';
import { guidSchema } from '../resource.ts';

const row = z.record(z.string(), z.unknown());

/**
 * Multipart: parts `file-1`, `file-2` ... (zips with a manifest), `label` and optionally `tenantId` (API-172, API-173), and
 * `signature-1` ..., a publisher's signature of the file of that number in base64.
 */
export const uploadPackages = defineAction({
  name: 'uploadPackages',
  method: 'POST',
  path: '/v1/packages/upload',
  access: { area: 'Packages', verb: 'create' },
  input: z.object({ label: z.string(), tenantId: z.optional(guidSchema) }),
  output: z.object({ value: z.array(row) }),
});

const version = z.object({ packageId: guidSchema, packageVersionId: guidSchema });

export const deletePackageVersion = defineAction({
  name: 'deletePackageVersion',
  method: 'DELETE',
  path: '/v1/packages/{packageId}/versions/{packageVersionId}',
  access: { area: 'Packages', verb: 'delete' },
  input: version,
});

/** Answers the zip with its SHA-256 as a header, for people who may view packages and for agents. */
export const downloadPackageVersion = defineAction({
  name: 'downloadPackageVersion',
  method: 'GET',
  path: '/v1/packages/{packageId}/versions/{packageVersionId}/content',
  access: 'signed-in',
  input: version,
});

/** Operations of the tenant and global ones whose package runs on the device's operating system (OPR-014). */
export const availableOperations = defineList({
  name: 'GetAvailableOperationsForDevice',
  path: '/v1/operations/GetAvailableOperationsForDevice(tenantId={tenantId},operatingSystemId={operatingSystemId})',
  access: { area: 'Packages', verb: 'view' },
  of: 'operations',
  input: z.object({ tenantId: guidSchema, operatingSystemId: z.coerce.number().int().min(0).max(7) }),
});
