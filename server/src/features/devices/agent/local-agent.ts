/** The agent on the server's own machine: `npm start` runs it and creates its device. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ctx } from '../../../context/ctx.ts';
import { programFile } from '../../../platform/programs.ts';
import { ensureFirstTenant } from './first-tenant.ts';
import { keepRunning } from './local-process.ts';
import { ensureLocalToken } from './local-token.ts';
import { promotePendingDevices, type SubscriptionIds } from './promote.ts';

export interface LocalAgentOptions {
  dataDir: string;
  /** Address of this server on this machine, such as `http://127.0.0.1:8080`. */
  url: string;
}

/** Short, so that values appear within seconds of the first start. */
const heartbeatSeconds = 5;
/** Flags with which the agent's executables run as well (`scripts/agent/build.mjs`): memory counts more than speed. */
const agentFlags = ['--max-semi-space-size=1', '--optimize-for-size', '--single-threaded', '--expose-gc'];
/** The only environment variables that the agent inherits: the server's environment also has secrets. */
const passedOn = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'SystemRoot', 'ProgramData', 'TEMP', 'NODE_COMPILE_CACHE'];

/**
 * Starts the agent. Call this when the server accepts requests, with a system ctx for all tenants; stop the agent before the
 * server.
 */
export async function startLocalAgent(ctx: Ctx, options: LocalAgentOptions): Promise<{ stop(): Promise<void> }> {
  const stateDir = join(resolve(options.dataDir), 'agent');
  const tokenFile = join(stateDir, 'token');
  const home = await ensureFirstTenant(ctx);
  const tenantId = home && (await ensureLocalToken(ctx, tokenFile, home.tenantId));
  if (!home || tenantId === null) {
    ctx.log.warn(
      { tokenFile },
      home
        ? 'The token of the local agent was revoked; it is not started. Remove the file to have a new one made.'
        : 'The first tenant has no subscription; the local agent is not started.',
    );
    return { stop: () => Promise.resolve() };
  }
  const stopping = new AbortController();
  const child = keepRunning({
    command: process.execPath,
    args: [...agentFlags, programFile('agent')],
    env: {
      ...Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
      CLOUDFIT_URL: options.url,
      CLOUDFIT_TOKEN_FILE: tokenFile,
      CLOUDFIT_STATE_DIR: stateDir,
      CLOUDFIT_PARENT: '1',
    },
    onLine: (line) => ctx.log.info({ agent: 'local' }, line),
    onExit: (reason, restartMs) => ctx.log.warn({ reason, restartMs }, 'The local agent ended and is started again.'),
  });
  const promoting = tenantId === home.tenantId ? promoteWhenRegistered(ctx, stateDir, home, stopping.signal) : Promise.resolve();
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([child.stop(), promoting]);
    },
  };
}

/** Promotes this machine's pending device once. When people delete the device later, it stays deleted. */
async function promoteWhenRegistered(ctx: Ctx, stateDir: string, home: SubscriptionIds, signal: AbortSignal): Promise<void> {
  for (let look = 0; !signal.aborted; look++) {
    try {
      const machineKey = (await readFile(join(stateDir, 'machine-key'), 'utf8').catch(() => '')).trim();
      const pending = machineKey === '' ? undefined : await findPending(ctx, home.tenantId, machineKey);
      if (pending?.was_promoted) return;
      if (pending) {
        await promotePendingDevices(ctx, [pending.pending_device_id], home, { heartbeatInterval: heartbeatSeconds });
        return;
      }
    } catch (error) {
      ctx.log.warn({ err: error }, 'The local machine could not be made a device yet.');
    }
    await sleep(look < 240 ? 250 : 5_000, undefined, { signal }).catch(() => undefined);
  }
}

async function findPending(
  ctx: Ctx,
  tenantId: string,
  machineKey: string,
): Promise<{ pending_device_id: string; was_promoted: boolean } | undefined> {
  const [pending] = await ctx.db.query<{ pending_device_id: string; was_promoted: boolean }>({
    name: 'agent-local-pending',
    text: `select p.pending_device_id, p.device_id is not null
        or exists (select from audit a where a.entity = 'pendingDevices' and a.entity_id = p.pending_device_id::text and a.after->>'deviceId' is not null) as was_promoted
      from pending_device p where p.tenant_id = $1 and p.machine_key::text = $2`,
    values: [tenantId, machineKey],
  });
  return pending;
}
