/** Seeds devices with the latest and with an earlier version of a package, for the version report. */
import { withInstallation } from '../server/src/admin/connect.ts';
import { loadConfig } from '../server/src/platform/config.ts';
import type { Api } from './panel-world.ts';
import type { World } from './world.ts';

/** Adds the devices, and sets the installed versions that agents would report. */
export async function seedVersions(world: World, call: Api, tenantId: string, packageId: string): Promise<void> {
  const [subscription] = (await call('GET', '/v1/subscriptions', undefined))['value'] as { subscriptionId: string }[];
  const home = { tenantId, subscriptionId: subscription?.subscriptionId, operatingSystemId: 4 };
  const installed: Record<string, string> = { 'press-1': '1.1.0', 'press-2': '1.0.0', 'press-3': '1.0.0' };
  const config = loadConfig({ DATA_DIR: world.dataDir, PUBLIC_URL: world.url });
  for (const [name, version] of Object.entries(installed)) {
    const { deviceId } = await call('PUT', '/v1/devices', { ...home, name });
    await withInstallation(config, (db) =>
      db.query({
        text: `insert into device_installation (tenant_id, device_id, package_id, package_version_id, installed_version_id, install_status)
          select tenant_id, $1, package_id, package_version_id, package_version_id, 'Installed'
          from package_version where package_id = $2 and version = $3`,
        values: [deviceId, packageId, version],
      }),
    );
  }
}
