/** What every installation has from its first start: permission sets, a first tenant with rules, controls, keys and packages. */
import { join } from 'node:path';
import type { MasterKey } from '../auth/master-key.ts';
import { loadPackageKey, type PackageKey } from '../auth/package-key.ts';
import { loadPushKey, type PushKey } from '../auth/push/key.ts';
import { ensureShippedSets } from '../auth/shipped.ts';
import type { Ctx } from '../context/ctx.ts';
import { ensureStarterControlSet } from '../features/compliance/starter.ts';
import { ensureFirstTenant } from '../features/devices/agent/first-tenant.ts';
import { rememberFirstStart } from '../features/lookups/license.ts';
import { ensureBuiltIns } from '../features/packages/built-in.ts';
import { signVersions } from '../features/packages/sign-versions.ts';
import { ensureStarterRules } from '../features/rules/starter.ts';
import type { Config } from '../platform/config.ts';
import { incomingFolder, openFileStore } from './open-file-store.ts';

const packageSources = join(import.meta.dirname, '../../packages');

async function ensureTenant(system: Ctx): Promise<void> {
  const home = await ensureFirstTenant(system);
  if (home) await ensureStarterRules(system, home);
}

async function ensurePackages(system: Ctx, config: Config, masterKey: MasterKey): Promise<PackageKey> {
  const key = await loadPackageKey(system.db, masterKey);
  await signVersions(system.db, key);
  await ensureBuiltIns(system, { store: openFileStore(config), key, sources: packageSources, incoming: incomingFolder(config) });
  return key;
}

/** Makes what is missing, in several transactions beside each other, because a start otherwise waits for each of them. */
export async function ensureContent(
  system: Ctx,
  config: Config,
  masterKey: MasterKey,
): Promise<{ packageKey: PackageKey; pushKey: PushKey }> {
  const [packageKey, pushKey] = await Promise.all([
    ensurePackages(system, config, masterKey),
    loadPushKey(system.db, masterKey),
    ensureShippedSets(system.db),
    rememberFirstStart(system),
    ensureTenant(system),
    ensureStarterControlSet(system),
  ]);
  return { packageKey, pushKey };
}
