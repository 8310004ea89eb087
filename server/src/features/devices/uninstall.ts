/** Notes what agents report that have uninstalled themselves. */
import type { UninstallReport } from '@cloudfit/contract/agent/uninstall.ts';
import { listedMachines } from '@cloudfit/contract/customers/steps.ts';
import { offboardings } from '@cloudfit/contract/resources/offboardings.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { sql } from '../../db/sql.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedOf } from '../../resources/served.ts';
import { setFields } from '../../resources/update.ts';
import { servedDevices } from './devices.served.ts';
import { logDevice } from './log.served.ts';
import { servedPendingDevices } from './pending.served.ts';

interface NotedOrder {
  tenantId: string | null;
  deviceId: string | null;
  offboardingId: string | null;
  registrationId: string;
}

const note = `update uninstall_order set report = $2, reported_on = $3 where uninstall_order_id = $1 and reported_on is null
returning tenant_id as "tenantId", device_id as "deviceId", offboarding_id as "offboardingId", registration_id as "registrationId"`;

const waiting = `select name from device where tenant_id = $1 and not is_deleted and uninstall_on is not null and uninstalled_on is null order by name, device_id limit $2`;

/** Stores the report of an agent that has uninstalled itself. A second report changes nothing. `ctx` sees all tenants. */
export function noteUninstalled(ctx: Ctx, report: UninstallReport): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const at = ctx.now().toISOString();
    const values = [report.orderId, JSON.stringify(report), at];
    const [noted] = await ctx.db.query<NotedOrder>({ name: 'uninstall-note', text: note, values });
    if (!noted) return;
    const { tenantId, deviceId, offboardingId, registrationId } = noted;
    if (tenantId !== null && deviceId !== null) {
      await setFields(ctx, servedDevices, deviceId, { uninstalledOn: at });
      // The agent has deleted its key; nobody else may use it.
      const withdraw = sql`update pending_device set public_key = null, key_created = null where pending_device_id = ${registrationId}::uuid and public_key is not null returning *`;
      await writeRecorded(ctx, servedPendingDevices, 'update', withdraw, null);
      const parts = [
        ...(report.removed.length > 0 ? [`Removed: ${report.removed.join(', ')}.`] : []),
        ...(report.stays.length > 0 ? [`Not removed: ${report.stays.join('; ')}.`] : []),
      ];
      await logDevice(ctx, { tenantId, deviceId, detail: ['The agent has uninstalled itself.', ...parts].join(' ').slice(0, 4_000) });
    }
    if (offboardingId === null) return;
    const names = await ctx.db.query<{ name: string }>({ name: 'uninstall-waiting', text: waiting, values: [tenantId, listedMachines] });
    await setFields(ctx, servedOf(offboardings), offboardingId, ({ steps }) => {
      const { machines } = steps;
      if (!machines) return {};
      const next = { ...machines, uninstalled: (machines.uninstalled ?? 0) + 1, waiting: names.map(({ name }) => name) };
      return { steps: { ...steps, machines: next } };
    });
  });
}
