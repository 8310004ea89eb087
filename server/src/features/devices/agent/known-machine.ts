/** The registrations of machines, by which agents are known before and after their promotion. */
import { sql } from '../../../db/sql.ts';
import type { RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { servedPendingDevices } from '../pending.served.ts';
import { countEnrolment } from './enrolment.ts';

export interface Registration {
  pendingDeviceId: string;
  deviceId: string | null;
  audience?: string;
  /** Whether another process of the agent registered before. */
  isReplacing?: boolean;
}

export interface KnownMachine {
  pending_device_id: string;
  public_key: string | null;
  device_id: string | null;
  is_cut_off: boolean;
  /** The token that enrolled the key. */
  token_grant_id: string | null;
}

/**
 * Returns the machine's row, locked, so that of two simultaneous registrations with different keys only the first stores its
 * key.
 */
export async function findMachine(ctx: Ctx, tenantId: string, machineKey: string): Promise<KnownMachine | undefined> {
  const [machine] = await ctx.db.query<KnownMachine>({
    name: 'agent-machine',
    text: `select p.pending_device_id, p.public_key, p.token_grant_id, d.device_id, d.cut_off_on is not null as is_cut_off
      from pending_device p left join device d on d.device_id = p.device_id and not d.is_deleted
      where p.tenant_id = $1 and p.machine_key = $2 for update of p`,
    values: [tenantId, machineKey],
  });
  return machine;
}

/** Stores a new machine; `copiedFrom`: the name of the device of which it is a copy. */
export async function keepNew(
  ctx: Ctx,
  tenantId: string,
  input: RegisterRequest,
  audience: string | undefined,
  { tokenGrantId, copiedFrom }: { tokenGrantId: string | null; copiedFrom: string | null },
): Promise<KnownMachine> {
  await countEnrolment(ctx, tenantId, tokenGrantId);
  const now = ctx.now().toISOString();
  const publicKey = input.publicKey?.x ?? null;
  const write = sql`insert into pending_device (tenant_id, machine_key, machine_name, operating_system, architecture, ip_address, created,
      last_ping, public_key, key_created, audience, token_grant_id, facts, instance_id, copied_from, agent_version)
    values (${tenantId}, ${input.machineKey}, ${input.machineName}, ${input.operatingSystem}, ${input.architecture}, ${ctx.address ?? null},
      ${now}, ${now}, ${publicKey}, ${publicKey && now}, ${audience ?? null}, ${tokenGrantId}, ${input.facts ? JSON.stringify(input.facts) : null}::jsonb,
      ${input.instanceId ?? null}, ${copiedFrom}, ${input.agentVersion})
    on conflict (tenant_id, machine_key) do nothing returning *`;
  const row = await writeRecorded(ctx, servedPendingDevices, 'create', write, null);
  if (row)
    return {
      pending_device_id: row.pendingDeviceId,
      public_key: publicKey,
      device_id: null,
      is_cut_off: false,
      token_grant_id: tokenGrantId,
    };
  // A simultaneous registration of the same machine has inserted the row.
  const other = await findMachine(ctx, tenantId, input.machineKey);
  if (!other) throw new Error('A pending device was neither made nor found.');
  return other;
}

/** Records that the agent of a machine has started, and what it says about the machine. */
export async function ping(ctx: Ctx, registrationId: string, input: RegisterRequest): Promise<Registration | undefined> {
  const [registration] = await ctx.db.query<Omit<Registration, 'audience'>>({
    name: 'agent-ping',
    text: `update pending_device p set machine_name = $2, operating_system = $3, architecture = $4, ip_address = $5, last_ping = $6, agent_version = $9,
        device_id = case when not exists (select from device d where d.device_id = p.device_id and d.is_deleted) then p.device_id end,
        facts = case when $8::jsonb is null then p.facts else coalesce(p.facts, '{}') || $8::jsonb end,
        instance_id = coalesce($7, p.instance_id), previous_instance = case when $7 <> p.instance_id then p.instance_id else p.previous_instance end,
        instance_since = case when $7 is distinct from p.instance_id then now() else p.instance_since end, instance_returns = 0
      where pending_device_id = $1 returning p.pending_device_id as "pendingDeviceId", p.device_id as "deviceId", p.previous_instance is not null as "isReplacing"`,
    values: [
      registrationId,
      input.machineName,
      input.operatingSystem,
      input.architecture,
      ctx.address ?? null,
      ctx.now().toISOString(),
      input.instanceId ?? null,
      input.facts ? JSON.stringify(input.facts) : null,
      input.agentVersion,
    ],
  });
  return registration;
}
