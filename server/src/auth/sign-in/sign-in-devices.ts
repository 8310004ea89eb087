/**
 * The browsers and networks from which a person signs in: guesses from elsewhere do not delay a known browser; a new browser
 * or network causes a mail.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { readerOf, type TextReader } from '../../platform/language.ts';
import { mailTextsFor, type MailTexts } from '../../platform/mail-texts.ts';
import { momentText } from '../../platform/times.ts';
import { siteOf } from '../../platform/network.ts';

const cookieSeconds = 365 * 24 * 3600;

/** A mail to one person about their sign-in. */
export interface SignInMail {
  /** Null for a mail of the installation. */
  tenantId: string | null;
  to: string;
  subject: string;
  text: string;
  /** A path within this installation. */
  link: string;
}

/** Queues a mail in a transaction. */
export type QueueSignInMail = (db: Db, mail: SignInMail) => Promise<void>;

/** What a browser sends at a sign-in, and the function that queues mails about it. */
export interface SignInOrigin {
  queueMail: QueueSignInMail;
  address: string | undefined;
  /** The value of the browser's device cookie. */
  device: string | undefined;
  userAgent: string | undefined;
}

const hashOf = (device: string) => hash('sha256', device, 'buffer');

/** Returns the value of the cookie `name`, if it has the format of a device cookie. */
export function deviceOf(cookies: string | undefined, name: string): string | undefined {
  const value = cookies
    ?.split(';')
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1);
  return value && /^[\w-]{43}$/.test(value) ? value : undefined;
}

export function deviceCookie(name: string, device: string, secure: boolean): string {
  return `${name}=${device}; Path=/idp; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

/** Returns whether this person has signed in from this browser before. */
export async function isKnownDevice(db: Db, device: string, userName: string): Promise<boolean> {
  const rows = await db.query({
    text: `select 1 from sign_in_device join person using (person_id) where device_hash = $1 and lower(user_name) = lower($2)`,
    values: [hashOf(device), userName.trim()],
  });
  return rows.length > 0;
}

/**
 * Stores browser and network, in the transaction of the sign-in; returns the new value of the browser's cookie. A person
 * who has signed in before gets one mail when either is new.
 */
export async function rememberDevice(db: Db, personId: string, origin: SignInOrigin): Promise<string> {
  const device = origin.device ?? randomBytes(32).toString('base64url');
  const [used] = await db.query<{ is_new: boolean }>({
    text: `insert into sign_in_device (person_id, device_hash) values ($1, $2)
      on conflict (person_id, device_hash) do update set last_used = now() returning xmax = 0 as is_new`,
    values: [personId, hashOf(device)],
  });
  const site = siteOf(origin.address);
  const [from] = site
    ? await db.query<{ is_new: boolean }>({
        text: `insert into sign_in_network (person_id, network) values ($1, $2)
          on conflict (person_id, network) do update set last_used = now() returning xmax = 0 as is_new`,
        values: [personId, site],
      })
    : [];
  const isNew = { browser: used?.is_new ?? false, network: from?.is_new ?? false };
  if (isNew.browser || isNew.network) await notifyOfNewDevice(db, personId, { device, site, ...isNew }, origin);
  return device;
}

interface AddresseeRow {
  email: string;
  name: string;
  locale: Locale | null;
  tenant_id: string | null;
}

interface Addressee {
  to: string;
  name: string;
  tenantId: string | null;
  reader: TextReader;
}

/**
 * Returns where mails about the sign-in go: to a verified address only. The mails belong to the tenant of the person's
 * oldest own grant, or to the installation when the person has a grant for all tenants or no own grant.
 */
async function addresseeOf(db: Db, personId: string): Promise<Addressee | undefined> {
  const [person] = await db.query<AddresseeRow>({
    text: `select p.email, p.name, p.locale,
        (select g.tenant_id from access_grant g where g.person_id = p.person_id order by g.tenant_id is null desc, g.created limit 1) as tenant_id
      from person p where p.person_id = $1 and p.email_verified and p.email is not null`,
    values: [personId],
  });
  return person && { to: person.email, name: person.name, tenantId: person.tenant_id, reader: readerOf(person.locale) };
}

/** Informs a person of the user of a chat who acts in their name from now on; the mail is one of the tenant of that chat. */
export async function notifyOfChatAccount(
  db: Db,
  personId: string,
  queueMail: QueueSignInMail,
  { account, tenantId }: { account: string; tenantId: string },
): Promise<void> {
  const person = await addresseeOf(db, personId);
  if (!person) return;
  const { to, reader } = person;
  const texts = mailTextsFor(reader).signIn;
  const text = texts.chatText(person.name, account, momentText(reader, new Date()));
  await queueMail(db, { tenantId, to, subject: texts.chat, text, link: '/notifications' });
}

/** Informs a person of a change of their sign-in, so that they notice a change by somebody else. */
export async function notifyOfChange(
  db: Db,
  personId: string,
  queueMail: QueueSignInMail,
  change: keyof MailTexts['signIn']['changes'],
): Promise<void> {
  const person = await addresseeOf(db, personId);
  if (!person) return;
  const texts = mailTextsFor(person.reader).signIn;
  const text = texts.change(person.name, texts.changes[change], momentText(person.reader, new Date()));
  await queueMail(db, {
    tenantId: person.tenantId,
    to: person.to,
    subject: texts.changed,
    text,
    link: '/idp/account',
  });
}

/** Tells an administrator that an emergency account was used. */
export async function notifyOfEmergency(
  db: Db,
  personId: string,
  account: string,
  { queueMail, address }: Pick<SignInOrigin, 'queueMail' | 'address'>,
): Promise<void> {
  const person = await addresseeOf(db, personId);
  if (!person) return;
  const { signIn } = mailTextsFor(person.reader);
  const text = signIn.emergencyText(person.name, account, momentText(person.reader, new Date()), address);
  await queueMail(db, { tenantId: person.tenantId, to: person.to, subject: signIn.emergency, text, link: '/' });
}

interface NewOrigin {
  device: string;
  site: string | undefined;
  browser: boolean;
  network: boolean;
}

/**
 * Returns whether no other browser (or network, if the browser is not new) of the person is stored. The first sign-in
 * causes no mail, nor does the first one after the update that began to store networks.
 */
async function isFirst(db: Db, personId: string, { device, site, browser }: NewOrigin): Promise<boolean> {
  const [before] = await db.query<{ browsers: boolean; networks: boolean }>({
    text: `select exists (select from sign_in_device d where d.person_id = $1 and d.device_hash <> $2) as browsers,
      exists (select from sign_in_network n where n.person_id = $1 and n.network is distinct from $3) as networks`,
    values: [personId, hashOf(device), site ?? null],
  });
  return browser ? !before?.browsers : !before?.networks;
}

async function notifyOfNewDevice(
  db: Db,
  personId: string,
  isNew: NewOrigin,
  { address, userAgent, queueMail }: SignInOrigin,
): Promise<void> {
  if (await isFirst(db, personId, isNew)) return;
  const person = await addresseeOf(db, personId);
  if (!person) return;
  const texts = mailTextsFor(person.reader).signIn;
  const facts = { when: momentText(person.reader, new Date()), from: address, browser: describeBrowser(userAgent, texts) };
  const text = texts.begin(person.name, isNew.browser, facts);
  await queueMail(db, { tenantId: person.tenantId, to: person.to, subject: texts.begun, text, link: '/idp/account' });
}

/** Returns a readable name, such as `Firefox on Windows`; undefined for a browser that it does not know. */
export function describeBrowser(userAgent: string | undefined, { browserOn }: MailTexts['signIn']): string | undefined {
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
  return browser && system ? browserOn(browser, system) : browser;
}
