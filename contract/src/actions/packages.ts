/** Calls on packages and versions beyond list, get, create, update and delete. */
import { z } from 'zod';
import { defineAction, defineList, rowOf } from '../action.ts';
import { guidSchema } from '../resource.ts';

export const uploadPackages = defineAction({
  name: 'uploadPackages',
  method: 'POST',
  path: '/v1/packages/upload',
  access: { area: 'Packages', verb: 'create' },
  about:
    "Multipart: parts `file-1`, `file-2` ... (zips with a manifest), `label` and optionally `tenantId`, and `signature-1` ..., a publisher's signature of the file of that number in base64.",
  input: z.object({ label: z.string(), tenantId: z.optional(guidSchema) }),
  output: z.object({ value: z.array(rowOf('packageVersions')) }),
});

const version = z.object({ packageId: guidSchema, packageVersionId: guidSchema });

export const deletePackageVersion = defineAction({
  name: 'deletePackageVersion',
  method: 'DELETE',
  path: '/v1/packages/{packageId}/versions/{packageVersionId}',
  access: { area: 'Packages', verb: 'delete' },
  about: 'Deletes a version of a package with its file; 409 while a device has it or should have it.',
  input: version,
});

export const downloadPackageVersion = defineAction({
  name: 'downloadPackageVersion',
  method: 'GET',
  path: '/v1/packages/{packageId}/versions/{packageVersionId}/content',
  access: 'signed-in',
  about: 'Answers the zip with its SHA-256 as a header, for people who may view packages and for agents.',
  input: version,
  content: 'application/octet-stream',
});

export const downloadSamplePackage = defineAction({
  name: 'downloadSamplePackage',
  method: 'GET',
  path: '/v1/packages/sample',
  access: { area: 'Packages', verb: 'view' },
  about: 'Answers the zip of a small package to begin with, which can be uploaded as it is.',
  input: z.object({}),
  content: 'application/zip',
});

export const availableOperations = defineList({
  name: 'GetAvailableOperationsForDevice',
  path: '/v1/operations/GetAvailableOperationsForDevice(tenantId={tenantId},operatingSystemId={operatingSystemId})',
  access: { area: 'Packages', verb: 'view' },
  about: "Operations of the tenant and global ones whose package runs on the device's operating system.",
  of: 'operations',
  input: z.object({ tenantId: guidSchema, operatingSystemId: z.coerce.number().int().min(0).max(7) }),
});
