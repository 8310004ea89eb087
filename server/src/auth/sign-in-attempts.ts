/** Slows down guessing: each account and address has a growing pause between attempts, about ten in the first minute. */
import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Db } from '../db/connection.ts';

const free = 5;
const forgottenAfter = '15 minutes';

export interface Attempt {
  /** Seconds to wait; 0 when the attempt may go on. */
  waitSeconds: number;
  /** Forgets the failures: the password was right. */
  succeeded(): Promise<void>;
}

/** Counts the attempt before the password is looked at, so that a burst of parallel ones gains nothing. */
export async function beginAttempt(db: Db, userName: string, address: string | undefined): Promise<Attempt> {
  const key = hash('sha256', `${userName.trim().toLowerCase()}\n${networkOf(address)}`, 'buffer');
  const pause = (attempts: string) =>
    `case when ${attempts} < ${free} then 0 else least(60, power(2, ${attempts} - ${free})) end * interval '1 second'`;
  const [counted] = await db.query<{ attempts: number }>({
    text: `insert into sign_in_attempt as a (attempt_key, attempts) values ($1, 1)
      on conflict (attempt_key) do update set last_attempt = clock_timestamp(),
        attempts = case when a.last_attempt < clock_timestamp() - interval '${forgottenAfter}' then 1 else a.attempts + 1 end
      where a.last_attempt + ${pause('a.attempts')} <= clock_timestamp()
      returning attempts`,
    values: [key],
  });
  const succeeded = async (): Promise<void> => {
    await db.query({ text: 'delete from sign_in_attempt where attempt_key = $1', values: [key] });
  };
  if (counted) return { waitSeconds: 0, succeeded };
  const [refused] = await db.query<{ wait: number }>({
    text: `select ceil(extract(epoch from last_attempt + ${pause('attempts')} - clock_timestamp()))::int as wait from sign_in_attempt where attempt_key = $1`,
    values: [key],
  });
  return { waitSeconds: Math.max(1, refused?.wait ?? 1), succeeded };
}

export async function forgetOldAttempts(db: Db): Promise<void> {
  await db.query({ text: `delete from sign_in_attempt where last_attempt < now() - interval '${forgottenAfter}'` });
}

/** One IPv6 customer has a whole /64. */
function networkOf(address: string | undefined): string {
  if (address === undefined) return '';
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
