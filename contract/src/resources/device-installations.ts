import { installStatuses } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** A package on a device, with the requested and the installed version (INST-002). A separate call requests a version. */
export const deviceInstallations = defineResource({
  name: 'deviceInstallations',
  label: 'Installation',
  plural: 'Installations',
  key: 'deviceInstallationId',
  title: 'installStatus',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    deviceInstallationId: f.key('Installation ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    deviceId: f.ref('Device', 'devices', { write: 'never' }),
    packageId: f.ref('Package', 'packages', { write: 'never' }),
    /** The intended version; empty for none. */
    packageVersionId: optional(f.ref('Wanted version', 'packageVersions', { write: 'never' })),
    /** The installed version that the agent reported. */
    installedVersionId: optional(f.ref('Installed version', 'packageVersions', { write: 'never' })),
    installStatus: f.choice('Status', installStatuses, { write: 'never' }),
    statusDetail: optional(f.text('Detail', { write: 'never', max: 4_000 })),
    progress: optional(f.int('Progress', { write: 'never', help: 'Percent of the download' })),
    statusChanged: optional(f.timestamp('Status changed', { write: 'never' })),
    /** Version and reason of the last failed installation. The text stays if the previous version is requested again. */
    failure: optional(f.text('Last failure', { write: 'never', max: 4_000 })),
    failed: optional(f.timestamp('Failed', { write: 'never' })),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    device: one('devices', 'deviceId'),
    package: one('packages', 'packageId'),
    packageVersion: one('packageVersions', 'packageVersionId'),
    installedVersion: one('packageVersions', 'installedVersionId', 'packageVersionId'),
  },
});
