import { createHash } from 'node:crypto';
import { configurationWaitMaxSeconds, type AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { readSettings } from './device-settings.ts';
import { withObjectNames } from '../mibs/tenant-mibs.ts';
import type { DeviceWatch, SeenConfiguration } from './device-watch.ts';
import { namesTag } from '../../../resources/get.ts';
import { noteClockSkew } from './clock-skew.ts';
import { cutOffText } from '../../../auth/device-tokens.ts';
import { judgeInstance, type Instances } from './instances.ts';
import { requireDeviceToken } from './requester.ts';

interface Poll {
  /** Names the `version` of the configuration that the agent has; absent in its first call. */
  ifNoneMatch?: string;
  waitSeconds?: number;
  /** The time of the agent's clock. */
  agentTime?: string;
  /** The process of the agent. */
  instance?: string;
  /** Aborts when the agent closes the connection. */
  signal?: AbortSignal;
}

/**
 * Long poll: returns at once if the agent has another version, otherwise when the configuration changes; `null` if it does not
 * change before the wait is over.
 */
export async function agentConfiguration(ctx: Ctx, watch: DeviceWatch, poll: Poll = {}): Promise<AgentConfiguration | null> {
  const caller = requireDeviceToken(ctx);
  const until = Date.now() + 1_000 * Math.min(Math.max(poll.waitSeconds ?? 0, 0), configurationWaitMaxSeconds);
  const isCurrent = (version: string): boolean => namesTag(poll.ifNoneMatch, `"${version}"`);
  const last = until > Date.now() ? watch.latestRead(caller.deviceId) : undefined;
  const isOwn = poll.instance === undefined || last?.instanceId === poll.instance;
  let previous = last?.registrationId === caller.registrationId && isOwn && isCurrent(last.version) ? last : undefined;
  for (let isFirst = true; ; isFirst = false, previous = undefined) {
    const { configuration, state, instances } = previous ? { state: previous } : await read(ctx, watch, caller);
    if (isFirst && poll.agentTime !== undefined) await noteClockSkew(ctx, caller.deviceId, state.clockSkewSeconds, poll.agentTime);
    const settlesMs = instances && poll.instance ? await judgeInstance(ctx, caller, instances, poll.instance, isFirst) : 0;
    if (settlesMs === 'superseded') return null;
    if (configuration && settlesMs === 0 && !isCurrent(configuration.version)) return configuration;
    const left = until - Date.now();
    if (left <= 0 && settlesMs === 0) return null;
    await watch.changed(caller.deviceId, state, settlesMs || left, poll.signal);
    if (poll.signal?.aborted || watch.closed.aborted) return null;
  }
}

async function read(
  ctx: Ctx,
  watch: DeviceWatch,
  { deviceId, registrationId }: { deviceId: string; registrationId: string },
): Promise<{ configuration?: AgentConfiguration; state: SeenConfiguration; instances?: Instances }> {
  const keep = watch.reading(deviceId);
  const device = await readSettings(ctx, { deviceId, registrationId });
  if (!device) throw notFound('The device');
  // A poll that began before the device was cut off gets here.
  if (device.is_cut_off) throw new ApiError('Unauthorized', cutOffText);
  const content = {
    deviceId: device.device_id,
    name: device.name,
    tenantId: device.tenant_id,
    enabled: device.enabled,
    heartbeatInterval: device.heartbeat_interval,
    restartAgentFlag: device.restart_agent_flag,
    replaceKey: device.replace_key,
    traceExpiration: device.trace_expiration,
    operations: await withObjectNames(ctx.db, device.tenant_id, device.operations),
    packages: device.packages,
    publishers: device.publishers,
    onlyTrustedPublishers: device.only_trusted_publishers,
  };
  // A hash of the content, not the version of the row: edits that do not concern the agent do not end its poll.
  const version = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
  const state = keep({
    registrationId,
    tenantId: device.tenant_id,
    version,
    rowVersion: device.version,
    clockSkewSeconds: device.clock_skew_seconds,
    instanceId: device.instance_id,
  });
  return { configuration: { ...content, version }, state, instances: device };
}
