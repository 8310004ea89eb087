import { defineResource, f, one, optional } from '../resource.ts';

/** The version report: a row per device and installed package (VER-008). */
export const complianceReport = defineResource({
  name: 'complianceReport',
  label: 'Version report row',
  plural: 'Version Report',
  key: 'complianceReportId',
  title: 'deviceName',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: ['deviceName asc', 'packageName asc'],
  fields: {
    complianceReportId: f.key('Row ID'),
    deviceId: f.ref('Device ID', 'devices', { write: 'never' }),
    deviceName: f.text('Device Name', { write: 'never', search: true }),
    tenantId: f.ref('Tenant ID', 'tenants', { write: 'never' }),
    tenantName: f.text('Tenant', { write: 'never', search: true }),
    subscriptionId: f.ref('Subscription ID', 'subscriptions', { write: 'never' }),
    subscriptionName: f.text('Subscription', { write: 'never', search: true, sharedValues: true }),
    packageId: f.ref('Package ID', 'packages', { write: 'never' }),
    packageName: f.text('Package Name', { write: 'never', search: true, sharedValues: true }),
    versionStatus: f.choice('Version Status', ['Current', 'Outdated'], { write: 'never' }),
    /** True when `versionStatus` is Current. */
    isCompliant: f.boolean('Compliant', { write: 'never' }),
    installedVersion: f.text('Installed Version', { write: 'never', search: true, sharedValues: true }),
    installedVersionReleased: f.timestamp('Installed Version Released', { write: 'never' }),
    /** The newest release for the device's operating system, if any. */
    latestVersion: optional(f.text('Latest Version', { write: 'never', search: true, sharedValues: true })),
    latestVersionReleased: optional(f.timestamp('Latest Version Released', { write: 'never' })),
  },
  relations: { device: one('devices', 'deviceId'), tenant: one('tenants', 'tenantId'), package: one('packages', 'packageId') },
});
