/** Calls on one device: tracing, restart, logs. */
import { sql } from 'kysely';
import { deviceLogList, restartAgent, toggleTrace } from '@cloudfit/contract/actions/devices.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { inTransaction } from '../../context/ctx.ts';
import { implement, implementList, type Implemented } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { setFields } from '../../resources/update.ts';
import { servedDevices } from './devices.served.ts';
import { installationActions } from './installations/installations.action.ts';
import { deviceIdentityActions } from './identity.action.ts';
import { logDevice } from './log.served.ts';
import { deviceOperationActions } from './operations/device-operations.action.ts';
import { pendingActions } from './pending.action.ts';
import { requestRestart } from './restart-flag.ts';

const trace = implement(toggleTrace, (ctx, { id, traceMinutes }) =>
  inTransaction(ctx, async (ctx) => {
    if (traceMinutes === -1) return setFields(ctx, servedDevices, id, {});
    const until = traceMinutes === 0 ? null : new Date(ctx.now().getTime() + traceMinutes * 60_000).toISOString();
    const device = await setFields(ctx, servedDevices, id, { traceMinutes, traceExpiration: until });
    const detail = traceMinutes === 0 ? 'Tracing was switched off.' : `Tracing was switched on for ${traceMinutes} minutes.`;
    await logDevice(ctx, { tenantId: device.tenantId, deviceId: id, detail });
    return device;
  }),
);

const restart = implement(restartAgent, (ctx, { id, tenantId, tenant }) =>
  requestRestart(ctx, id, (before) => {
    const requestedTenantId = tenantId ?? tenant;
    if (requestedTenantId !== undefined && before.tenantId !== requestedTenantId) throw notFound('Device');
  }),
);

const logs = implementList(deviceLogList, async (ctx, { id }, t) => {
  await get(ctx, servedDevices, id);
  return sql<boolean>`${sql.ref(`${t}.device_id`)} = ${id}::uuid`;
});

export const deviceActions: readonly Implemented[] = [
  trace,
  restart,
  logs,
  ...pendingActions,
  ...deviceIdentityActions,
  ...installationActions,
  ...deviceOperationActions,
];
