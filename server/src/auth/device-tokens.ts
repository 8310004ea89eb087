/**
 * Access tokens of devices: valid for ten minutes and signed with the master key, so that issuing or verifying a token
 * needs no query. Whether the device may still use the token is looked up, so that a device that was cut off is refused
 * at once.
 */
import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Actor } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { addToBatch, newBatcher } from '../platform/batcher.ts';
import { keepNewest } from '../platform/keep-newest.ts';
import { within } from '../platform/within.ts';
import { againMs, isUnavailable } from './token-grants.ts';

const prefix = 'cfda_';
const purpose = 'device access token';
export const deviceTokenSeconds = 600;
/** Milliseconds for which the cached state of a device is used, so that a lost notification does not keep a device admitted. */
const freshMs = 1_500;
const maxEntries = 20_000;
const spelling = /^cfda_([0-9a-f-]{36})\.([0-9a-f-]{36})\.(\d{1,12})\.([\w-]{43})$/;

export interface CheckedDevice {
  actor: Actor & { kind: 'device' };
  permissions: ReadonlyMap<string, ReadonlySet<string>>;
  tenants: readonly string[];
  db: Db;
}

export interface DeviceTokens {
  /** Issues a token for the device to which this registration was promoted. */
  issue(registrationId: string, deviceId: string): string;
  check(token: string): Promise<CheckedDevice>;
  /** Discards the cached states of devices. Call it when devices were cut off or admitted, or tenants changed. */
  forget(): void;
}

/**
 * The part of the master key that device tokens need: the signatures of a text for a purpose, the one by the current
 * key first.
 */
interface Signer {
  signatures(text: string, purpose: string): readonly string[];
}

interface DeviceState {
  registration_id: string;
  device_id: string;
  tenant_id: string;
  name: string;
  is_cut_off: boolean;
  tenant_enabled: boolean;
}

interface LoadedState {
  row: DeviceState;
  db: Db;
  loadedMs: number;
  generation: number;
}

const refused = (message: string) => new ApiError('Unauthorized', message);

export function looksLikeDeviceToken(text: string): boolean {
  return text.startsWith(prefix);
}

/** `outlasts`: as with tokens of tenants, a device that was admitted stays so while the database is away. */
export function createDeviceTokens(database: Database, signer: Signer, outlasts = false): DeviceTokens {
  const db = database.scoped('all');
  const entries = new Map<string, LoadedState>();
  let generation = 0;

  // Agents reconnect by the thousand when a server has started, so one statement looks up many devices.
  const reads = newBatcher<null, string, DeviceState | undefined>({
    maxRunning: 2,
    maxRunningPerKey: 2,
    maxItems: 200,
    keyOf: () => '',
    maxWaitMs: Infinity,
    timedOut: () => refused('The state of the device could not be read in time.'),
    run: async (_caller, registrationIds) => {
      // A deleted device is not refused here: the calls answer 404, which tells its agent to register again.
      const rows = await db.query<DeviceState>({
        name: 'auth-devices',
        text: `select p.pending_device_id as registration_id, d.device_id, d.tenant_id, d.name, d.cut_off_on is not null as is_cut_off, t.enabled as tenant_enabled
          from pending_device p join device d on d.device_id = p.device_id join tenant t on t.tenant_id = d.tenant_id
          where p.pending_device_id = any($1::uuid[]) and p.public_key is not null`,
        values: [registrationIds],
      });
      const states = new Map(rows.map((row) => [row.registration_id, row]));
      return registrationIds.map((id) => states.get(id));
    },
  });

  async function load(registrationId: string): Promise<LoadedState> {
    const started = generation;
    const [row] = await addToBatch(reads, null, [registrationId]);
    if (!row) throw refused('This machine is not enrolled any more.');
    const loaded = { row, db: database.scoped([row.tenant_id]), loadedMs: Date.now(), generation: started };
    keepNewest(entries, maxEntries, registrationId, loaded);
    return loaded;
  }

  /** Reads the state of a device, or returns `lasting` while the database is away or stalls. */
  async function loadOr(registrationId: string, lasting: LoadedState | undefined): Promise<LoadedState> {
    if (!lasting) return load(registrationId);
    const loaded = await within(load(registrationId), againMs).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
    });
    return loaded ?? Object.assign(lasting, { loadedMs: Date.now() });
  }

  return {
    issue: (registrationId, deviceId) => {
      const content = `${registrationId}.${deviceId}.${Math.floor(Date.now() / 1_000) + deviceTokenSeconds}`;
      return `${prefix}${content}.${signer.signatures(content, purpose)[0]}`;
    },
    check: async (token) => {
      const [, registrationId = '', deviceId = '', seconds = '', signature = ''] = spelling.exec(token) ?? [];
      if (!isSigned(signer, `${registrationId}.${deviceId}.${seconds}`, signature))
        throw refused('This is not an access token of a device of this installation.');
      if (Date.now() >= Number(seconds) * 1_000) throw refused('The access token of the device has expired.');
      const cached = entries.get(registrationId);
      const isFresh = cached?.generation === generation && Date.now() - cached.loadedMs < freshMs;
      const { row, db } = isFresh
        ? cached
        : await loadOr(registrationId, outlasts && cached?.generation === generation ? cached : undefined);
      if (row.device_id !== deviceId) throw refused('This machine has become another device.');
      if (row.is_cut_off) throw refused(cutOffText);
      if (!row.tenant_enabled) throw refused('The tenant of this device is disabled.');
      return {
        actor: { kind: 'device', id: row.device_id, name: row.name, registrationId },
        permissions: new Map(),
        tenants: [row.tenant_id],
        db,
      };
    },
    forget: () => void generation++,
  };
}

export const cutOffText = 'This device was cut off by an administrator. It may enrol again when it has been admitted.';

function isSigned(signer: Signer, content: string, signature: string): boolean {
  const presented = Buffer.from(signature);
  return signer.signatures(content, purpose).some((signature) => {
    const valid = Buffer.from(signature);
    return valid.length === presented.length && timingSafeEqual(valid, presented);
  });
}
