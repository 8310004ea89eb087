/** Who must sign in with a second factor: people with a permission set that requires one, and people who have set up codes. */
import type { Db } from '../../db/db.ts';
import { grantsOfPerson } from '../grants.ts';
import { removeTotp } from './totp.ts';

export interface SecondFactor {
  /** Whether a permission set of the person requires a second factor. */
  isDemanded: boolean;
  hasPasskey: boolean;
  /** Whether an authenticator app is set up. */
  hasCodes: boolean;
}

export async function secondFactorOf(db: Db, personId: string): Promise<SecondFactor> {
  const [row] = await db.query<SecondFactor>({
    text: `select exists (select from access_grant g join permission_set s using (permission_set_id) where ${grantsOfPerson} and s.requires_passkey) as "isDemanded",
        exists (select from passkey k where k.person_id = p.person_id) as "hasPasskey",
        exists (select from totp t where t.person_id = p.person_id and t.confirmed_on is not null) as "hasCodes"
      from person p where p.person_id = $1`,
    values: [personId],
  });
  return row ?? { isDemanded: false, hasPasskey: false, hasCodes: false };
}

/** Removes passkeys, one-time codes and recovery codes, because the person has lost them. */
export async function removeSecondFactors(db: Db, personId: string): Promise<{ passkeys: number; codes: boolean }> {
  const passkeys = await db.query({ text: 'delete from passkey where person_id = $1 returning 1', values: [personId] });
  return { passkeys: passkeys.length, codes: await removeTotp(db, personId) };
}

/** Returns whether these authentication methods of a session (RFC 8176) include a second factor: a key, or a one-time code. */
export function hasSecondFactor(amr: readonly string[] | null | undefined): boolean {
  return amr?.some((method) => method === 'pop' || method === 'otp') ?? false;
}

/** Returns whether a permission set of the person requires a second factor that a session with these methods lacks. */
export async function isTooWeak(db: Db, personId: string, amr: readonly string[] | null | undefined): Promise<boolean> {
  return !hasSecondFactor(amr) && (await secondFactorOf(db, personId)).isDemanded;
}
