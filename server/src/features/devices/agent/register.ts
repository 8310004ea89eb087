import { sql } from 'kysely';
import type { RegisterAnswer, RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { ApiError, forbidden } from '@cloudfit/contract/errors.ts';
import { cutOffText } from '../../../auth/device-tokens.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { logDevice } from '../log.served.ts';
import { servedPendingDevices } from '../pending.served.ts';
import { clearRestartFlag } from '../restart-flag.ts';
import { audienceOf } from './assertion.ts';
import { countEnrolment } from './enrolment.ts';
import { noteOtherMachine } from './other-machine.ts';
import { promoteByToken } from './promote-by-token.ts';
import { requireEnrolmentToken } from './requester.ts';

type RegistrationResult = Omit<RegisterAnswer, 'packageKeys'>;

export interface RegisterParts {
  /** The address at which agents reach this installation. */
  publicUrl: string;
  /** Used to read whether the owner of a token may still promote. */
  database: Database;
}

interface Registration {
  pendingDeviceId: string;
  deviceId: string | null;
}

/**
 * Registers an agent: at each start by its access token, before that by an enrolment token, which adds the machine if the
 * server does not know it.
 */
export async function registerAgent(ctx: Ctx, input: RegisterRequest, parts: RegisterParts): Promise<RegistrationResult> {
  return ctx.actor.kind === 'device' ? registerDevice(ctx, ctx.actor.registrationId, input) : enrol(ctx, input, parts);
}

function answerOf({ pendingDeviceId, deviceId }: Registration): RegistrationResult {
  return deviceId ? { status: 'promoted', pendingDeviceId, deviceId } : { status: 'pending', pendingDeviceId };
}

/** Updates the registration of a known machine. The machine of a deleted device waits for a new promotion. */
function registerDevice(ctx: Ctx, registrationId: string, input: RegisterRequest): Promise<RegistrationResult> {
  return inTransaction(ctx, async (ctx) => {
    const registration = await ping(ctx, registrationId, input);
    if (!registration) throw new ApiError('Unauthorized', 'This machine is not enrolled any more.');
    if (registration.deviceId) await clearRestartFlag(ctx, registration.deviceId);
    return answerOf(registration);
  });
}

async function ping(ctx: Ctx, registrationId: string, input: RegisterRequest): Promise<Registration | undefined> {
  const [registration] = await ctx.db.query<Registration>({
    name: 'agent-ping',
    text: `update pending_device p set machine_name = $2, operating_system = $3, architecture = $4, ip_address = $5, last_ping = $6,
        device_id = case when not exists (select from device d where d.device_id = p.device_id and d.is_deleted) then p.device_id end
      where pending_device_id = $1 returning p.pending_device_id as "pendingDeviceId", p.device_id as "deviceId"`,
    values: [registrationId, input.machineName, input.operatingSystem, input.architecture, ctx.address ?? null, ctx.now().toISOString()],
  });
  return registration;
}

interface KnownMachine {
  pending_device_id: string;
  public_key: string | null;
  device_id: string | null;
  is_cut_off: boolean;
}

async function enrol(ctx: Ctx, input: RegisterRequest, parts: RegisterParts): Promise<RegistrationResult> {
  const tenantId = requireEnrolmentToken(ctx);
  const audience = input.publicKey && audienceOf(parts.publicUrl);
  const registration = await inTransaction(ctx, async (ctx) => {
    const machine = (await findMachine(ctx, tenantId, input.machineKey)) ?? (await keepNew(ctx, tenantId, input, audience));
    if (machine.is_cut_off) throw forbidden(cutOffText);
    const publicKey = input.publicKey?.x ?? null;
    // The warning about the other machine must be stored, so the error is thrown after the commit.
    if (machine.public_key !== null && machine.public_key !== publicKey) return await noteOtherMachine(ctx, machine, input, tenantId);
    if (machine.public_key === null && publicKey !== null) await adoptKey(ctx, tenantId, machine, publicKey, audience);
    const registration = await ping(ctx, machine.pending_device_id, input);
    if (!registration) throw new Error('A machine that is locked is there.');
    if (registration.deviceId) await clearRestartFlag(ctx, registration.deviceId);
    return registration;
  });
  if (registration instanceof ApiError) throw registration;
  const promoted = registration.deviceId ? registration : await promoteByToken(ctx, parts.database, registration, input);
  return { ...answerOf(promoted), ...(audience === undefined ? {} : { audience }) };
}

/**
 * Returns the machine's row, locked, so that of two simultaneous registrations with different keys only the first stores its
 * key.
 */
async function findMachine(ctx: Ctx, tenantId: string, machineKey: string): Promise<KnownMachine | undefined> {
  const [machine] = await ctx.db.query<KnownMachine>({
    name: 'agent-machine',
    text: `select p.pending_device_id, p.public_key, d.device_id, d.cut_off_on is not null as is_cut_off
      from pending_device p left join device d on d.device_id = p.device_id and not d.is_deleted
      where p.tenant_id = $1 and p.machine_key = $2 for update of p`,
    values: [tenantId, machineKey],
  });
  return machine;
}

async function keepNew(ctx: Ctx, tenantId: string, input: RegisterRequest, audience: string | undefined): Promise<KnownMachine> {
  await countEnrolment(ctx, tenantId);
  const now = ctx.now().toISOString();
  const publicKey = input.publicKey?.x ?? null;
  const write = sql`insert into pending_device (tenant_id, machine_key, machine_name, operating_system, architecture, ip_address, created,
      last_ping, public_key, key_created, audience, token_grant_id)
    values (${tenantId}, ${input.machineKey}, ${input.machineName}, ${input.operatingSystem}, ${input.architecture}, ${ctx.address ?? null},
      ${now}, ${now}, ${publicKey}, ${publicKey && now}, ${audience ?? null}, ${ctx.actor.id})
    on conflict (tenant_id, machine_key) do nothing returning *`;
  const row = await writeRecorded(ctx, servedPendingDevices, 'create', write, null);
  if (row) return { pending_device_id: row.pendingDeviceId, public_key: publicKey, device_id: null, is_cut_off: false };
  // A simultaneous registration of the same machine has inserted the row.
  const other = await findMachine(ctx, tenantId, input.machineKey);
  if (!other) throw new Error('A pending device was neither made nor found.');
  return other;
}

/**
 * Stores the key of a machine that registered only by a token so far, or whose old key was removed when an administrator
 * admitted it again.
 */
async function adoptKey(ctx: Ctx, tenantId: string, machine: KnownMachine, publicKey: string, audience: string | undefined): Promise<void> {
  const { pending_device_id: pendingDeviceId, device_id: deviceId } = machine;
  const write = sql`update pending_device set public_key = ${publicKey}, key_created = ${ctx.now().toISOString()}, audience = ${audience ?? null},
      token_grant_id = ${ctx.actor.id} where pending_device_id = ${pendingDeviceId} and public_key is null returning *`;
  await writeRecorded(ctx, servedPendingDevices, 'update', write, { pendingDeviceId, tenantId, publicKey: null });
  if (deviceId)
    await logDevice(ctx, {
      tenantId,
      deviceId,
      detail: `The agent enrolled its key with the token ${ctx.actor.name} from ${ctx.address ?? 'an unknown address'}.`,
    });
}
