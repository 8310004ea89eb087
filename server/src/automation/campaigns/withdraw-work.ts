/** Withdraws the work of a campaign from a device that has not begun it. */
import type { CampaignKind, CampaignOutcome } from '@cloudfit/contract/enums.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { get } from '../../resources/get.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { wishVersions } from '../../features/devices/installations/installations.action.ts';
import { setQueued } from '../../features/devices/operations/device-operations.action.ts';
import { withdrawRestart } from '../../features/devices/restart-flag.ts';
import { lockDevice, noteOutcomes, type CampaignDevice } from './begin.ts';

async function withdrawRunOf(ctx: Ctx, { device_operation_id: id, run_id: runId }: CampaignDevice): Promise<boolean> {
  if (id === null) return true;
  // Locks first the operation, then its run, in the same order as the agent's reports.
  const [operation] = await ctx.db.query<{ token: string | null }>({
    name: 'campaign-run-operation',
    text: 'select completion_token as token from device_operation where device_operation_id = $1 and not is_deleted for no key update',
    values: [id],
  });
  const [run] = await ctx.db.query<{ status: string }>({
    name: 'campaign-run',
    text: 'select status from operation_run where operation_run_id = $1 for update',
    values: [runId],
  });
  if (operation?.token !== runId || run?.status !== 'Queued') return false;
  await setQueued(ctx, id, false);
  return true;
}

async function withdrawWishOf(ctx: Ctx, device: CampaignDevice): Promise<boolean> {
  await get(ctx, servedDevices, device.device_id, { lock: 'edit' });
  const [row] = await ctx.db.query<{ status: string; installed: string | null; wish_number: number }>({
    name: 'campaign-installation',
    text: `select install_status as status, installed_version_id as installed, wish_number
      from device_installation where device_id = $1 and package_id = $2 for update`,
    values: [device.device_id, device.package_id],
  });
  if (!row || row.wish_number !== device.wish_number || !row.status.endsWith('Pending')) return false;
  await wishVersions(ctx, device.device_id, [{ packageId: device.package_id ?? '', packageVersionId: row.installed }], true);
  return true;
}

async function withdrawRestartOf(ctx: Ctx, { device_id: id }: CampaignDevice): Promise<boolean> {
  const { restartAgentFlag } = await get(ctx, servedDevices, id, { lock: 'edit' });
  if (restartAgentFlag) await withdrawRestart(ctx, id);
  return restartAgentFlag;
}

const takers: Partial<Record<CampaignKind, (ctx: Ctx, device: CampaignDevice) => Promise<boolean>>> = {
  RunOperation: withdrawRunOf,
  InstallVersion: withdrawWishOf,
  RemovePackage: withdrawWishOf,
  RestartAgent: withdrawRestartOf,
};

/**
 * Ends the device with this outcome and withdraws its work. If its agent has begun the work, the result of the agent ends the
 * device.
 */
export function withdrawWork(ctx: Ctx, id: string, outcome: CampaignOutcome, reason: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const device = await lockDevice(ctx, id);
    if (!device) return;
    const [state] = await ctx.db.query<{ missing: boolean }>({
      name: 'campaign-device-missing',
      text: 'select is_deleted or tenant_id <> $2 as missing from device where device_id = $1',
      values: [device.device_id, device.tenant_id],
    });
    const take = takers[device.kind];
    if (take && device.begun !== null && device.is_own && state?.missing === false && !(await take(ctx, device))) return;
    await noteOutcomes(ctx, [{ id, outcome, reason, untried: outcome === 'Failed' }]);
  });
}
