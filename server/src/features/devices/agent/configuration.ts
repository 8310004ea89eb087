import { createHash } from 'node:crypto';
import { configurationWaitMaxSeconds, type AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../../context/ctx.ts';
import type { DeviceWatch } from './device-watch.ts';
import { namesTag } from '../../../resources/get.ts';
import { noteClockSkew } from './clock-skew.ts';
import { cutOffText } from '../../../auth/device-tokens.ts';
import { requireDeviceToken } from './requester.ts';

interface Poll {
  /** Names the `version` of the configuration that the agent has; absent in its first call. */
  ifNoneMatch?: string;
  waitSeconds?: number;
  /** The time of the agent's clock. */
  agentTime?: string;
  /** Aborts when the agent hangs up. */
  signal?: AbortSignal;
}

/** Long poll: answers at once when the agent has another version, otherwise when the device changes; `null` when nothing changed. */
export async function agentConfiguration(ctx: Ctx, watch: DeviceWatch, poll: Poll = {}): Promise<AgentConfiguration | null> {
  const caller = requireDeviceToken(ctx);
  const until = Date.now() + 1_000 * Math.min(Math.max(poll.waitSeconds ?? 0, 0), configurationWaitMaxSeconds);
  for (let isFirst = true; ; isFirst = false) {
    const { configuration, rowVersion, clockSkewSeconds } = await read(ctx, caller);
    if (isFirst && poll.agentTime !== undefined) await noteClockSkew(ctx, configuration.deviceId, clockSkewSeconds, poll.agentTime);
    if (!namesTag(poll.ifNoneMatch, `"${configuration.version}"`)) return configuration;
    const left = until - Date.now();
    if (left <= 0) return null;
    await watch.changed(configuration.deviceId, rowVersion, left, poll.signal);
    if (poll.signal?.aborted || watch.closed.aborted) return null;
  }
}

interface DeviceSettings {
  device_id: string;
  name: string;
  tenant_id: string;
  enabled: boolean;
  heartbeat_interval: number;
  restart_agent_flag: boolean;
  replace_key: boolean;
  is_cut_off: boolean;
  trace_expiration: string | null;
  operations: AgentConfiguration['operations'];
  packages: AgentConfiguration['packages'];
  publishers: AgentConfiguration['publishers'];
  only_trusted_publishers: boolean;
  version: number;
  clock_skew_seconds: number | null;
}

const operations = `(select coalesce(json_agg(json_build_object('deviceOperationId', o.device_operation_id, 'label', o.label, 'packageId', c.package_id, 'packageName', o.package_name,
    'operation', c.name, 'frequencyTypeId', o.frequency_type_id, 'intervalSeconds', o.interval, 'isInteractive', o.is_interactive,
    'parameters', o.parameters, 'completionToken', case when not o.operation_complete then o.completion_token end) order by o.device_operation_id), '[]')
  from device_operation o join operation c on c.operation_id = o.operation_id
  where o.device_id = d.device_id and o.enabled and not o.is_deleted)`;
const packages = `(select coalesce(json_agg(json_build_object('packageId', p.package_id, 'name', p.name, 'packageTypeId', p.package_type_id,
    'executableTypeId', p.executable_type_id, 'installedVersionId', i.installed_version_id, 'wanted', case when v.package_version_id is not null then
      json_build_object('packageVersionId', v.package_version_id, 'version', v.version, 'executableName', v.executable_name, 'fileSize', v.file_size, 'sha256', v.sha256, 'signature', v.signature,
        'publisher', case when v.publisher_signature is not null then json_build_object('name', v.publisher_name, 'signature', v.publisher_signature) end,
        'comesWithServer', v.comes_with_server) end,
      'wishNumber', i.wish_number) order by p.package_id), '[]')
  from device_installation i join package p on p.package_id = i.package_id left join package_version v on v.package_version_id = i.package_version_id
  where i.device_id = d.device_id)`;
const publishers = `(select coalesce(json_agg(json_build_object('name', b.name, 'publicKey', b.public_key) order by b.publisher_id), '[]')
  from publisher b where b.tenant_id is null or b.tenant_id = d.tenant_id)`;
const columns = `d.device_id, d.name, d.tenant_id, d.enabled, d.heartbeat_interval, d.restart_agent_flag, d.cut_off_on is not null as is_cut_off, coalesce(d.key_wanted_on > p.key_created, false) as replace_key, d.trace_expiration, d.clock_skew_seconds, ${operations} as operations,
  ${packages} as packages, ${publishers} as publishers, t.only_trusted_publishers, d.version + d.operations_version as version`;
const ofDevice = `select ${columns} from device d join tenant t on t.tenant_id = d.tenant_id left join pending_device p on p.pending_device_id = $2 where d.device_id = $1 and not d.is_deleted`;

async function read(
  ctx: Ctx,
  { deviceId, registrationId }: { deviceId: string; registrationId: string },
): Promise<{ configuration: AgentConfiguration; rowVersion: number; clockSkewSeconds: number | null }> {
  const [device] = await ctx.db.query<DeviceSettings>({
    name: 'agent-configuration',
    text: ofDevice,
    values: [deviceId, registrationId],
  });
  if (!device) throw notFound('The device');
  // A poll that waits began before the device was cut off.
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
    operations: device.operations,
    packages: device.packages,
    publishers: device.publishers,
    onlyTrustedPublishers: device.only_trusted_publishers,
  };
  // A hash of the content, not the version of the row: edits that do not concern the agent do not end its poll.
  const version = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
  return { configuration: { ...content, version }, rowVersion: device.version, clockSkewSeconds: device.clock_skew_seconds };
}
