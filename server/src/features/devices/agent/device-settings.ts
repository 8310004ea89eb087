/** Reads the settings that agents of devices need, many devices in one statement. */
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { addToBatch, newBatcher } from '../../../platform/batcher.ts';

export interface DeviceSettings {
  registration_id: string;
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
  /** The processes of the agent, see `instances.ts`. */
  instance_id: string | null;
  previous_instance: string | null;
  refused_instance: string | null;
  /** Milliseconds since the present process has registered. */
  instance_ms: number | null;
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
  ${packages} as packages, ${publishers} as publishers, t.only_trusted_publishers, p.instance_id, p.previous_instance, p.refused_instance, (extract(epoch from now() - p.instance_since) * 1000)::float8 as instance_ms, d.version + d.operations_version as version`;
const ofDevices = `select w.pending_device_id as registration_id, ${columns} from unnest($1::uuid[], $2::uuid[]) as w (device_id, pending_device_id)
  join device d on d.device_id = w.device_id join tenant t on t.tenant_id = d.tenant_id left join pending_device p on p.pending_device_id = w.pending_device_id where not d.is_deleted`;

interface AgentMachine {
  deviceId: string;
  registrationId: string;
}

// A change of thousands of devices wakes all of their agents within seconds. Each batch reads devices of one tenant over one
// connection, in the scope of the agents, so that requests of people do not wait behind these reads.
const reads = newBatcher<Ctx, AgentMachine, DeviceSettings | undefined>({
  maxRunning: 2,
  maxRunningPerKey: 2,
  maxItems: 50,
  keyOf: ({ tenants }) => (tenants === 'all' ? tenants : tenants.join(',')),
  maxWaitMs: Infinity,
  timedOut: () => new ApiError('Unavailable', 'The configuration could not be read in time. Please try again.'),
  run: async ({ db }, machines) => {
    const rows = await db.query<DeviceSettings>({
      name: 'agent-configurations',
      text: ofDevices,
      values: [machines.map((machine) => machine.deviceId), machines.map((machine) => machine.registrationId)],
    });
    const settings = new Map(rows.map((row) => [row.registration_id, row]));
    return machines.map((machine) => settings.get(machine.registrationId));
  },
});

export async function readSettings(ctx: Ctx, machine: AgentMachine): Promise<DeviceSettings | undefined> {
  const [settings] = await addToBatch(reads, ctx, [machine]);
  return settings;
}
