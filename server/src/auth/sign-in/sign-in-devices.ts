/** The browsers from which a person signs in: known ones are not delayed when others guess, and new ones cause a mail. */
import { hash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/connection.ts';

const cookieSeconds = 365 * 24 * 3600;

/** A mail to one person about their sign-in; like every mail it belongs to a tenant. */
export interface SignInMail {
  tenantId: string;
  to: string;
  subject: string;
  text: string;
  /** A path within this installation. */
  link: string;
}

/** Queues a mail in a transaction. */
export type QueueSignInMail = (db: Db, mail: SignInMail) => Promise<void>;

/** What a browser sends at a sign-in, and how its person is informed. */
export interface SignInOrigin {
  queueMail: QueueSignInMail;
  address: string | undefined;
  /** The value of its cookie. */
  device: string | undefined;
  userAgent: string | undefined;
}

const hashOf = (device: string) => hash('sha256', device, 'buffer');

/** The value of the cookie, if it has our format. */
export function deviceOf(cookies: string | undefined, name: string): string | undefined {
  const value = cookies
    ?.split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1);
  return value && /^[\w-]{43}$/.test(value) ? value : undefined;
}

export function deviceCookie(name: string, device: string, secure: boolean): string {
  return `${name}=${device}; Path=/idp; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

/** Whether this person has signed in from this browser before. */
export async function isKnownDevice(db: Db, device: string, userName: string): Promise<boolean> {
  const rows = await db.query({
    text: `select 1 from sign_in_device join person using (person_id) where device_hash = $1 and lower(user_name) = lower($2)`,
    values: [hashOf(device), userName.trim()],
  });
  return rows.length > 0;
}

/**
 * Stores the browser, in the transaction of the sign-in; returns the new value of its cookie. A person with other
 * browsers gets a mail about a new one.
 */
export async function rememberDevice(db: Db, personId: string, origin: SignInOrigin): Promise<string> {
  const device = origin.device ?? randomBytes(32).toString('base64url');
  const [used] = await db.query<{ is_new: boolean }>({
    text: `insert into sign_in_device (person_id, device_hash) values ($1, $2)
      on conflict (person_id, device_hash) do update set last_used = now() returning xmax = 0 as is_new`,
    values: [personId, hashOf(device)],
  });
  if (used?.is_new) await tellOfNewDevice(db, personId, device, origin);
  return device;
}

interface DeviceNotice {
  email: string | null;
  name: string;
  tenant_id: string | null;
}

async function tellOfNewDevice(db: Db, personId: string, device: string, { address, userAgent, queueMail }: SignInOrigin): Promise<void> {
  // The mail belongs to a tenant of the person; for people of all tenants, to the first one.
  const [person] = await db.query<DeviceNotice>({
    text: `select p.email, p.name, coalesce(
        (select g.tenant_id from access_grant g where g.person_id = p.person_id and g.tenant_id is not null order by g.created limit 1),
        (select t.tenant_id from tenant t order by t.created limit 1)) as tenant_id
      from person p where p.person_id = $1 and p.email_verified and p.email is not null
        and exists (select from sign_in_device d where d.person_id = p.person_id and d.device_hash <> $2)`,
    values: [personId, hashOf(device)],
  });
  if (!person?.email || !person.tenant_id) return;
  const text = [
    `${person.name}, somebody signed in to CloudFit as you by a browser that you have not used before.`,
    `When: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC\nFrom: ${address ?? 'an unknown address'}\nWith: ${describeBrowser(userAgent)}`,
    'If that was you, there is nothing to do. If not, change your password, which ends every other sign-in:',
  ].join('\n\n');
  await queueMail(db, { tenantId: person.tenant_id, to: person.email, subject: 'A new sign-in to CloudFit', text, link: '/idp/account' });
}

/** A readable name: Firefox on Windows. */
export function describeBrowser(userAgent: string | undefined): string {
  const text = userAgent ?? '';
  const first = (names: readonly (readonly [RegExp, string])[]) => names.find(([pattern]) => pattern.test(text))?.[1];
  const browser = first([
    [/Edg\//, 'Edge'],
    [/Firefox\//, 'Firefox'],
    [/Chrome\//, 'Chrome'],
    [/Safari\//, 'Safari'],
  ]);
  const system = first([
    [/Windows/, 'Windows'],
    [/Android/, 'Android'],
    [/iPhone|iPad/, 'iOS'],
    [/Mac OS X/, 'macOS'],
    [/Linux/, 'Linux'],
  ]);
  return browser ? `${browser}${system ? ` on ${system}` : ''}` : 'an unknown browser';
}
