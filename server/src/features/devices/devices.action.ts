/** All calls on devices; those for tracing, restart and the log are implemented here. */
import { sql } from '../../db/sql.ts';
import { deviceLogList, restartAgent, toggleTrace } from '@cloudfit/contract/actions/devices.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { implement, implementList, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { setFields } from '../../resources/update.ts';
import { servedDevices } from './devices.served.ts';
import { installationActions } from './installations/installations.action.ts';
import { deviceIdentityActions } from './identity.action.ts';
import { deviceOperationActions } from './operations/device-operations.action.ts';
import { pendingActions } from './pending.action.ts';
import { requestRestart } from './restart-flag.ts';
import { setTracing } from './tracing.ts';

const trace = implement(toggleTrace, (ctx, { id, traceMinutes }) =>
  traceMinutes === -1 ? setFields(ctx, servedDevices, id, {}) : setTracing(ctx, id, traceMinutes),
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

export const deviceActions: readonly ImplementedAction[] = [
  trace,
  restart,
  logs,
  ...pendingActions,
  ...deviceIdentityActions,
  ...installationActions,
  ...deviceOperationActions,
];
