import { packageVersionStatuses } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** One uploaded build of a package (PKG-012). Only its status changes. */
export const packageVersions = defineResource({
  name: 'packageVersions',
  label: 'Package version',
  plural: 'Package versions',
  key: 'packageVersionId',
  title: 'version',
  area: 'Packages',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    packageVersionId: f.key('Package version ID'),
    packageId: f.ref('Package', 'packages', { write: 'never' }),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'never' })),
    /** Sorts by SemVer 2, not as text. */
    version: f.text('Version', { write: 'never', search: true, sortedBy: 'precedence' }),
    label: f.text('Label', { write: 'never', search: true }),
    packageVersionStatusId: f.code('Status', packageVersionStatuses, { write: 'never' }),
    operatingSystemRidsId: f.int('Supported Operating Systems', { write: 'never' }),
    fileName: f.text('File', { write: 'never' }),
    fileSize: f.bigint('Size', { write: 'never', help: 'Bytes' }),
    sha256: f.text('SHA-256', { write: 'never', max: 64 }),
    /** The signature of this server, in base64; agents refuse a version without it. */
    signature: optional(f.text('Signature', { write: 'never', max: 200 })),
    /** The publisher who has signed the version; null without a publisher's signature. */
    publisherName: optional(f.text('Publisher', { write: 'never', search: true })),
    publisherKey: optional(f.text('Key of the publisher', { write: 'never', max: 1_000 })),
    comesWithServer: f.boolean('Comes with the server', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
  },
  relations: { package: one('packages', 'packageId'), tenant: one('tenants', 'tenantId') },
});
