/**
 * Slows down guessing: growing delays for an account from an address, from all addresses together, and for an address
 * that tries many accounts.
 */
import { hash } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import { networkOf } from '../../platform/network.ts';

const forgottenAfter = '15 minutes';

interface Limit {
  /** Number of attempts before the delays begin. */
  free: number;
  maxSeconds: number;
}

/** Limit of an account in one network or known browser: about ten attempts in the first minute. */
const ofAccount: Limit = { free: 5, maxSeconds: 60 };
/** Limit of a network. A whole office may share one address, so more attempts are free. */
const ofAddress: Limit = { free: 50, maxSeconds: 10 };

/** Limit of an account over all addresses together: other people can delay a person with a new browser for a minute at most. */
const ofAccountEverywhere: Limit = { free: 20, maxSeconds: 60 };

export interface Attempt {
  /** Seconds to wait; 0 when the attempt may proceed. */
  waitSeconds: number;
  /** Call this after a success: resets the account's count in this network or browser; other counts lose this attempt. */
  succeeded(): Promise<void>;
}

/**
 * Counts the attempt before the password is checked, so that parallel attempts do not avoid the delay. Without a name,
 * only the address is counted.
 */
export async function beginAttempt(
  db: Db,
  userName: string | undefined,
  address: string | undefined,
  /** The cookie of a browser in which this person has signed in before: attempts from elsewhere do not delay this browser. */
  knownDevice?: string,
): Promise<Attempt> {
  const network = networkOf(address);
  const account = userName?.trim().toLowerCase();
  const addressKey = address === undefined ? undefined : keyOf(network);
  const accountKey =
    account === undefined ? undefined : keyOf(`${account}\n${knownDevice === undefined ? network : `device ${knownDevice}`}`);
  const everywhereKey = account === undefined || knownDevice !== undefined ? undefined : keyOf(`${account}\neverywhere`);
  const waitSeconds =
    (addressKey && (await count(db, addressKey, ofAddress))) ||
    (accountKey && (await count(db, accountKey, ofAccount))) ||
    (everywhereKey && (await count(db, everywhereKey, ofAccountEverywhere))) ||
    0;
  return {
    waitSeconds,
    succeeded: async () => {
      if (accountKey) await db.query({ text: 'delete from sign_in_attempt where attempt_key = $1', values: [accountKey] });
      // Takes back only this attempt, because other people may still be guessing.
      for (const key of [addressKey, everywhereKey])
        if (key)
          await db.query({ text: 'update sign_in_attempt set attempts = greatest(attempts - 1, 0) where attempt_key = $1', values: [key] });
    },
  };
}

const keyOf = (text: string) => hash('sha256', text, 'buffer');

/** Counts an attempt; returns the seconds to wait if it must not be made yet, or 0 when it was counted. */
async function count(db: Db, key: Buffer, { free, maxSeconds }: Limit): Promise<number> {
  const pause = `case when a.attempts < ${free} then 0 else least(${maxSeconds}, power(2, least(a.attempts - ${free}, 10))) end * interval '1 second'`;
  const [counted] = await db.query({
    text: `insert into sign_in_attempt as a (attempt_key, attempts) values ($1, 1)
      on conflict (attempt_key) do update set last_attempt = clock_timestamp(),
        attempts = case when a.last_attempt < clock_timestamp() - interval '${forgottenAfter}' then 1 else a.attempts + 1 end
      -- Times are rounded to milliseconds, so the last one may lie ahead.
      where a.attempts < ${free} or a.last_attempt + ${pause} <= clock_timestamp()
      returning 1`,
    values: [key],
  });
  if (counted) return 0;
  const [refused] = await db.query<{ wait: number }>({
    text: `select ceil(extract(epoch from last_attempt + ${pause} - clock_timestamp()))::int as wait from sign_in_attempt a where attempt_key = $1`,
    values: [key],
  });
  return Math.max(1, refused?.wait ?? 1);
}

export async function forgetOldAttempts(db: Db): Promise<void> {
  await db.query({ text: `delete from sign_in_attempt where last_attempt < now() - interval '${forgottenAfter}'` });
  await db.query({ text: "delete from sign_in_device where last_used < now() - interval '400 days'" });
  await db.query({ text: "delete from sign_in_network where last_used < now() - interval '400 days'" });
}
