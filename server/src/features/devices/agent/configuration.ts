import { createHash } from 'node:crypto';
import { configurationWaitMaxSeconds, type AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../../ctx.ts';
import type { DeviceWatch } from './device-watch.ts';
import { requireAgent } from './requester.ts';

export type AgentIdentity = { machineKey: string } | { deviceId: string };

interface Wanted {
  /** The `version` that the agent holds; absent at its first call. */
  etag?: string;
  waitSeconds?: number;
  /** Aborts when the agent hangs up. */
  signal?: AbortSignal;
}

/** Long poll: answers at once when the agent holds another version, else when the device changes; `null` when nothing changed. */
export async function agentConfiguration(
  ctx: Ctx,
  watch: DeviceWatch,
  who: AgentIdentity,
  wanted: Wanted,
): Promise<AgentConfiguration | null> {
  const tenantId = requireAgent(ctx);
  const until = Date.now() + 1_000 * Math.min(Math.max(wanted.waitSeconds ?? 0, 0), configurationWaitMaxSeconds);
  for (;;) {
    const { configuration, rowVersion } = await read(ctx, tenantId, who);
    if (configuration.version !== wanted.etag) return configuration;
    const left = until - Date.now();
    if (left <= 0) return null;
    await watch.changed(configuration.deviceId, rowVersion, left, wanted.signal);
    if (wanted.signal?.aborted || watch.closed.aborted) return null;
  }
}

interface Found {
  device_id: string;
  name: string;
  enabled: boolean;
  heartbeat_interval: number;
  restart_agent_flag: boolean;
  trace_expiration: string | null;
  version: number;
}

const columns = 'd.device_id, d.name, d.enabled, d.heartbeat_interval, d.restart_agent_flag, d.trace_expiration, d.version';
const byMachine = `select ${columns} from pending_device p join device d on d.device_id = p.device_id
  where p.tenant_id = $1 and p.machine_key = $2 and not d.is_deleted`;
const byDevice = `select ${columns} from device d where d.tenant_id = $1 and d.device_id = $2 and not d.is_deleted`;

async function read(ctx: Ctx, tenantId: string, who: AgentIdentity): Promise<{ configuration: AgentConfiguration; rowVersion: number }> {
  const [found] = await ctx.db.query<Found>(
    'machineKey' in who
      ? { name: 'agent-configuration-machine', text: byMachine, values: [tenantId, who.machineKey] }
      : { name: 'agent-configuration-device', text: byDevice, values: [tenantId, who.deviceId] },
  );
  if (!found) throw notFound('The device');
  const content = {
    deviceId: found.device_id,
    name: found.name,
    enabled: found.enabled,
    heartbeatInterval: found.heartbeat_interval,
    restartAgentFlag: found.restart_agent_flag,
    traceExpiration: found.trace_expiration,
  };
  // Of the content, not of the row: edits that no agent cares for wake none.
  const version = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
  return { configuration: { ...content, version }, rowVersion: found.version };
}
