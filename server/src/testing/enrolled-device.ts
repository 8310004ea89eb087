/** A device whose agent has enrolled its key, for tests of what agents call. */
import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import type { RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { promotePendingDevices, type SubscriptionIds } from '../features/devices/agent/promote.ts';
import { registerAgent } from '../features/devices/agent/register.ts';
import type { TestCaller } from './world.ts';

export interface EnrolledDevice {
  deviceId: string;
  /** Id of the device's row in `pending_device`; the agent sends it to sign in. */
  registrationId: string;
  machine: RegisterRequest;
  privateKey: KeyObject;
  /** The device's agent with an access token, for `world.call(device.caller, ...)` and `world.ctx(device.caller)`. */
  caller: TestCaller;
}

export function machineOf(over: Partial<RegisterRequest> = {}): RegisterRequest {
  return {
    machineKey: randomUUID(),
    machineName: 'db-1',
    operatingSystem: 'Debian GNU/Linux 12 (bookworm)',
    architecture: 'x64',
    agentVersion: '1.0.0',
    ...over,
  };
}

/** A new Ed25519 key, and its public half as agents send it. */
export function newAgentKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { privateKey, publicKey: { kty: 'OKP', crv: 'Ed25519', x } as const };
}

/** A caller with an enrolment token of the tenant. `tokenGrantId` needs a row only in tests that count enrolments. */
export function enrolmentCaller(tenantId: string, tokenGrantId: string, scopes: string[] = ['agent']): TestCaller {
  return { tenants: [tenantId], permissions: new Map(), actor: { kind: 'token', id: tokenGrantId, name: 'enrolment', scopes } };
}

/** Enrols a machine by a token, and promotes it. `system` is a ctx of all tenants. */
export async function enrolDevice(
  { system, database }: { system: Ctx; database: Database },
  home: SubscriptionIds,
  over: Partial<RegisterRequest> = {},
): Promise<EnrolledDevice> {
  const { privateKey, publicKey } = newAgentKey();
  const machine = machineOf({ publicKey, ...over });
  const [token] = await system.db.query<{ id: string }>({
    text: `insert into token_grant (tenant_id, name, token_hash, token_hint, scopes)
      values ($1, 'enrolment', decode(replace(gen_random_uuid()::text, '-', ''), 'hex'), 'cfst_…test', '["agent"]') returning token_grant_id as id`,
    values: [home.tenantId],
  });
  const enrolment = enrolmentCaller(home.tenantId, token?.id ?? '');
  const ctx = { ...system, ...enrolment, actor: enrolment.actor ?? system.actor, db: database.scoped([home.tenantId]) };
  const { pendingDeviceId: registrationId } = await registerAgent(ctx, machine, { publicUrl: 'http://localhost', database });
  const [promoted] = await promotePendingDevices(system, [registrationId], home);
  if (!promoted) throw new Error('Nothing was promoted.');
  const { deviceId } = promoted;
  return { deviceId, registrationId, machine, privateKey, caller: agentOf(home.tenantId, deviceId, registrationId) };
}

/** A caller that is the agent, with an access token, of a device that `enrolDevice` did not create. */
export function agentOf(tenantId: string, deviceId: string, registrationId: string = randomUUID()): TestCaller {
  return { tenants: [tenantId], permissions: new Map(), actor: { kind: 'device', id: deviceId, name: 'agent', registrationId } };
}
