/** The ctx of work without a caller: jobs, timers, the start of the server. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import type { Ctx, Permissions } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { TenantScope } from '../db/db.ts';
import { currentDate } from '../platform/clock.ts';

export interface SystemCtxOptions {
  database: Database;
  log: Logger;
  /** The name of the system in history and audit. */
  name: string;
  /** By default all tenants. */
  tenants?: TenantScope;
  /** Correlation id of the cause; by default a new one. */
  correlationId?: string;
  now?: () => Date;
}

const everything: ReadonlySet<string> = new Set(allPermissions);

export function systemCtx(options: SystemCtxOptions): Ctx {
  const tenants = options.tenants ?? 'all';
  const correlationId = options.correlationId ?? randomUUID();
  const permissions: Permissions = new Map((tenants === 'all' ? ['*'] : tenants).map((tenant) => [tenant, everything]));
  return {
    actor: { kind: 'system', id: null, name: options.name },
    tenants,
    permissions,
    db: options.database.scoped(tenants),
    now: options.now ?? currentDate,
    log: options.log.child({ correlationId }),
    correlationId,
  };
}
