/** Finds people in LDAP and Active Directory and checks their passwords, always with TLS and within the rules of outbound calls. */
import dns from 'node:dns/promises';
import { isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import type { Client, Entry, Filter } from 'ldapts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { addressRules, type AddressRules } from './addresses.ts';

export interface LdapSettings {
  /** `ldaps://host:636`, or `ldap://host:389` with `startTls`. */
  url: string;
  startTls: boolean;
  /** The account that searches, and its password. */
  bindDn: string;
  password: string;
  baseDn: string;
  /** Has `{name}` where the escaped name is put. */
  userFilter: string;
  /** The attribute with the groups of a person, such as `memberOf`. */
  groupsAttribute: string;
  /** Whether the groups of groups count too. */
  nestedGroups: boolean;
  /** PEM of an authority beside the public ones. */
  certificate: string | null;
}

interface LdapPerson {
  dn: string;
  /** What stays the same when the person is renamed or moved. */
  key: string;
  /** The names with which the person signs in there, the most complete one first. */
  userNames: string[];
  name: string | undefined;
  email: string | undefined;
  groups: string[];
  isLocked: boolean;
}

/** What the directory says of a person who has signed in before. */
export interface LdapStanding {
  groups: string[];
  isDisabled: boolean;
  passwordChangedAt: Date | undefined;
}

/** What the directory says of a password. */
export type LdapVerdict = 'right' | 'wrong' | 'locked' | 'expired' | 'accountExpired' | 'mustChange' | 'notNow' | 'notHere' | 'disabled';

/** Why nobody could be looked up; the message is for whoever set the directory up. */
export class LdapFailed extends Error {}

export interface LdapClient {
  /** The person of this name; undefined when there is none. Throws `LdapFailed`. */
  find(settings: LdapSettings, name: string): Promise<LdapPerson | undefined>;
  check(settings: LdapSettings, person: LdapPerson, password: string): Promise<LdapVerdict>;
  /** Where the people of these keys stand now; without those whom the filter of people no longer finds. Throws `LdapFailed`. */
  standings(settings: LdapSettings, keys: readonly string[]): Promise<Map<string, LdapStanding>>;
}

const timeoutMs = 8_000;

/** A value in a filter (RFC 4515): none of its characters is syntax. */
const escaped = (value: string): string =>
  value.replaceAll(/[\\*()\0]/g, (character) => `\\${character.codePointAt(0)?.toString(16).padStart(2, '0')}`);

function hostOf(url: string): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replaceAll(/^\[|\]$/g, ''), port: port === '' ? (protocol === 'ldaps:' ? 636 : 389) : Number(port) };
}

/** The first address of the host that may be called, so that what is connected to is what was checked. */
async function addressOf(host: string, rules: AddressRules): Promise<string> {
  const addresses = isIP(host)
    ? [host]
    : await dns
        .lookup(host, { all: true })
        .then((all) => all.map(({ address }) => address))
        .catch(() => []);
  if (addresses.length === 0) throw new LdapFailed(`The host ${host} has no address. Please check its name.`);
  const address = addresses.find((candidate) => !rules.refusal(candidate, host));
  if (address === undefined) throw new LdapFailed(rules.refusal(addresses[0] ?? '', host) ?? '');
  return address;
}

const certificateFaults = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

function explain(error: unknown, { url, bindDn, startTls, baseDn }: LdapSettings): LdapFailed {
  if (error instanceof LdapFailed) return error;
  const { host, port } = hostOf(url);
  const { code, name } = error as { code?: string | number; name?: string };
  const text = messageOf(error);
  if (code === 49) return new LdapFailed(`${host} does not accept the password of the account ${bindDn}. Please store the right one.`);
  if (code === 32) return new LdapFailed(`${host} has nothing at ${baseDn}. Please check below what people are searched.`);
  if (code === 34) return new LdapFailed(`${bindDn} or ${baseDn} is no distinguished name for ${host}.`);
  if (typeof code === 'string' && certificateFaults.test(code))
    return new LdapFailed(
      `The certificate of ${host} is not trusted (${code}). Please enter the certificate of its authority, and the name that it has.`,
    );
  if (code === 'ECONNREFUSED') return new LdapFailed(`Nothing answers at port ${port} of ${host}. Please check host and port.`);
  if (/timeout/i.test(`${name} ${text}`) || code === 'ETIMEDOUT') return new LdapFailed(`${host} does not answer at port ${port}.`);
  if (/filter|unbalanced parens|attribute name/i.test(text)) return new LdapFailed(`The filter of people cannot be read: ${text}`);
  if (startTls) return new LdapFailed(`${host} could not be asked with STARTTLS at port ${port}: ${text}`);
  return new LdapFailed(`${host} could not be asked at port ${port}: ${text}`);
}

const textsOf = (entry: Entry, name: string): string[] => {
  const key = Object.keys(entry).find((each) => each.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? undefined : entry[key];
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.map(String).filter((text) => text !== '');
};

/** The first part of a distinguished name without its attribute: `Service Desk` of `cn=Service Desk,ou=Groups,dc=...`. */
function firstPart(dn: string): string {
  const [, value = dn] = /^[^=,]+=((?:\\.|[^,\\])*)/.exec(dn) ?? [];
  return value
    .replaceAll(/\\([0-9a-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll(/\\(.)/g, '$1')
    .trim();
}

/** Codes of Active Directory in the message of a refused password. */
const codesOfActiveDirectory: Readonly<Record<string, LdapVerdict>> = {
  525: 'wrong',
  530: 'notNow',
  531: 'notHere',
  532: 'expired',
  533: 'disabled',
  534: 'notHere',
  701: 'accountExpired',
  773: 'mustChange',
  775: 'locked',
};

/** What a refused bind says; undefined if it is another fault. */
export function verdictOf(error: unknown, { isLocked }: Pick<LdapPerson, 'isLocked'>): LdapVerdict | undefined {
  const { code } = error as { code?: number };
  const text = messageOf(error);
  const [, data = ''] = /\bdata ([0-9a-f]{3,})\b/i.exec(text) ?? [];
  const verdict = codesOfActiveDirectory[data];
  if (verdict) return verdict;
  if (code !== 49 && code !== 19 && code !== 50 && code !== 53) return undefined;
  if (isLocked || /lock/i.test(text)) return 'locked';
  if (/expired/i.test(text)) return 'expired';
  return code === 49 ? 'wrong' : 'disabled';
}

const attributes = [
  'mail',
  'uid',
  'cn',
  'displayName',
  'sAMAccountName',
  'userPrincipalName',
  'objectGUID',
  'entryUUID',
  'pwdAccountLockedTime',
];
/** Says since when a password is valid, and whether the account is. */
const standingAttributes = [
  'pwdChangedTime',
  'pwdLastSet',
  'pwdAccountLockedTime',
  'userAccountControl',
  'accountExpires',
  'nsAccountLock',
  'shadowExpire',
];
/** People that one search asks for. */
const peopleAtOnce = 50;
const maxGroups = 500;
/** How many groups of groups of groups are followed. */
const maxLevels = 10;
/** Groups that are asked for at once. */
const groupsAtOnce = 20;

interface LdapGroup {
  dn: string;
  name: string;
}

/** The groups that list an entry as a member. */
async function groupsWith(client: Client, baseDn: string, entry: { dn: string; uid?: string | undefined }): Promise<LdapGroup[]> {
  const dn = escaped(entry.dn);
  const { searchEntries } = await client.search(baseDn, {
    scope: 'sub',
    filter: `(|(member=${dn})(uniqueMember=${dn})${entry.uid === undefined ? '' : `(memberUid=${escaped(entry.uid)})`})`,
    attributes: ['cn'],
    sizeLimit: maxGroups,
  });
  return searchEntries.flatMap((group) =>
    textsOf(group, 'cn')
      .slice(0, 1)
      .map((name) => ({ dn: group.dn, name })),
  );
}

/** The groups that an entry itself names; undefined if it cannot be read, because it is gone or no distinguished name. */
async function groupsNamedBy(client: Client, dn: string, attribute: string): Promise<string[]> {
  try {
    const { searchEntries } = await client.search(dn, { scope: 'base', attributes: [attribute] });
    return searchEntries.flatMap((entry) => textsOf(entry, attribute));
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 32 || code === 34 || code === 50) return [];
    throw error;
  }
}

/** The groups of an entry and, if they count, the groups of those, each once, however they contain each other. */
async function groupsOf(client: Client, { baseDn, groupsAttribute, nestedGroups }: LdapSettings, entry: Entry): Promise<string[]> {
  const named = textsOf(entry, groupsAttribute).map((dn): LdapGroup => ({ dn, name: firstPart(dn) }));
  const above = async ({ dn }: LdapGroup): Promise<LdapGroup[]> => {
    // Groups that name those above them are asked themselves: they may stand outside of what is searched.
    const written = named.length > 0 ? await groupsNamedBy(client, dn, groupsAttribute) : [];
    return written.length > 0 ? written.map((text) => ({ dn: text, name: firstPart(text) })) : groupsWith(client, baseDn, { dn });
  };
  const groups = new Map<string, string>();
  let level = named.length > 0 ? named : await groupsWith(client, baseDn, { dn: entry.dn, uid: textsOf(entry, 'uid')[0] });
  for (let depth = 0; level.length > 0 && depth < maxLevels && groups.size < maxGroups; depth += 1) {
    const each = new Map(level.map((group) => [group.dn.toLowerCase(), group]));
    const added = [...each.values()].filter(({ dn }) => !groups.has(dn.toLowerCase()));
    for (const { dn, name } of added) groups.set(dn.toLowerCase(), name);
    level = [];
    if (nestedGroups)
      for (let at = 0; at < added.length && groups.size + level.length < maxGroups; at += groupsAtOnce)
        level.push(...(await Promise.all(added.slice(at, at + groupsAtOnce).map(above))).flat());
  }
  return [...groups.values()];
}

/** What stays the same when the person is renamed or moved; the name of the entry where a server has nothing of the kind. */
function keyOf(entry: Entry): string {
  const guid = entry['objectGUID'];
  const [uuid] = textsOf(entry, 'entryUUID');
  return Buffer.isBuffer(guid) ? guid.toString('hex') : (uuid ?? entry.dn.toLowerCase());
}

/** A time of Active Directory: tenths of microseconds since 1601. */
const fileTime = (text: string): number => Number(text) / 10_000 - 11_644_473_600_000;

function generalizedTime(text: string): number {
  const [, year, month, day, hour, minute, second = '00'] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?/.exec(text) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** An account that was locked by wrong passwords stays enabled: whoever types them ends nobody's session. */
function standingOf(entry: Entry, groups: string[], now: number): LdapStanding {
  const first = (attribute: string): string => textsOf(entry, attribute)[0] ?? '';
  const expires = first('accountExpires');
  const shadow = Number(first('shadowExpire') || -1);
  const set = Number(first('pwdLastSet')) > 0 ? fileTime(first('pwdLastSet')) : generalizedTime(first('pwdChangedTime'));
  return {
    groups: [...new Set(groups)].toSorted().slice(0, maxGroups),
    isDisabled:
      (Number(first('userAccountControl')) & 2) !== 0 ||
      first('pwdAccountLockedTime') === '000001010000Z' ||
      /^true$/i.test(first('nsAccountLock')) ||
      (/^[1-9]\d{0,17}$/.test(expires) && fileTime(expires) < now) ||
      (shadow >= 0 && shadow * 86_400_000 < now),
    passwordChangedAt: Number.isNaN(set) ? undefined : new Date(set),
  };
}

export function ldapClient({ allow }: { allow: readonly string[] }): LdapClient {
  const rules = addressRules(allow);

  async function connected<T>(settings: LdapSettings, work: (client: Client) => Promise<T>): Promise<T> {
    const { host, port } = hostOf(settings.url);
    const address = await addressOf(host, rules);
    // Loaded with the first directory: installations without one never need it.
    const { Client } = await import('ldapts');
    const { certificate, startTls } = settings;
    const tls = {
      minVersion: 'TLSv1.2' as const,
      host,
      ...(isIP(host) ? {} : { servername: host }),
      ...(certificate ? { ca: [...getCACertificates(), certificate] } : {}),
    };
    const client = new Client({
      url: `${startTls ? 'ldap' : 'ldaps'}://${address.includes(':') ? `[${address}]` : address}:${port}`,
      timeout: timeoutMs,
      connectTimeout: timeoutMs,
      strictDN: false,
      // The connection goes to the address that was checked; the certificate must have the name.
      ...(startTls ? {} : { tlsOptions: { ...tls, host: address, ...(isIP(host) ? {} : { servername: host }) } }),
    });
    try {
      if (startTls) await client.startTLS(tls);
      return await work(client);
    } finally {
      await client.unbind().catch(() => undefined);
    }
  }

  return {
    find: async (settings, name) => {
      try {
        return await connected(settings, async (client) => {
          await client.bind(settings.bindDn, settings.password);
          const { searchEntries } = await client.search(settings.baseDn, {
            scope: 'sub',
            filter: settings.userFilter.replaceAll('{name}', () => escaped(name)),
            attributes: [...attributes, settings.groupsAttribute],
            explicitBufferAttributes: ['objectGUID'],
            sizeLimit: 2,
          });
          const [entry, second] = searchEntries;
          if (!entry) return undefined;
          if (second) throw new LdapFailed(`The filter of people finds more than one entry for ${name}. Please make it narrower.`);
          const groups = await groupsOf(client, settings, entry);
          const first = (attribute: string): string | undefined => textsOf(entry, attribute)[0];
          const userNames = ['userPrincipalName', 'mail', 'uid', 'sAMAccountName'].flatMap((attribute) => first(attribute) ?? []);
          return {
            dn: entry.dn,
            key: keyOf(entry),
            userNames: userNames.length > 0 ? userNames : [name],
            name: first('displayName') ?? first('cn'),
            email: first('mail'),
            groups: [...new Set(groups)].toSorted().slice(0, maxGroups),
            isLocked: textsOf(entry, 'pwdAccountLockedTime').length > 0,
          };
        });
      } catch (error) {
        throw explain(error, settings);
      }
    },
    check: async (settings, person, password) => {
      // A bind without a password succeeds at many servers, as nobody.
      if (password === '') return 'wrong';
      try {
        return await connected(settings, async (client) => {
          try {
            await client.bind(person.dn, password);
            return 'right';
          } catch (error) {
            const verdict = verdictOf(error, person);
            if (verdict) return verdict;
            throw error;
          }
        });
      } catch (error) {
        throw explain(error, settings);
      }
    },
    standings: async (settings, keys) => {
      const { AndFilter, EqualityFilter, FilterParser, OrFilter } = await import('ldapts');
      // Whom the filter does not find by any name may not sign in. A comparison other than by equality knows no "any".
      const anybody = /[:~<>]=[^()]*\{name\}/.test(settings.userFilter) ? '(objectClass=*)' : settings.userFilter.replaceAll('{name}', '*');
      const isGuid = (key: string) => /^[0-9a-f]{32}$/.test(key);
      const isUuid = (key: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key);
      const named = (key: string): Filter =>
        isGuid(key)
          ? new EqualityFilter({ attribute: 'objectGUID', value: Buffer.from(key, 'hex') })
          : new EqualityFilter({ attribute: 'entryUUID', value: key });
      try {
        return await connected(settings, async (client) => {
          await client.bind(settings.bindDn, settings.password);
          const standings = new Map<string, LdapStanding>();
          const read = async (base: string, scope: 'base' | 'sub', filter: Filter): Promise<void> => {
            const { searchEntries } = await client.search(base, {
              scope,
              filter,
              attributes: [...attributes, ...standingAttributes, settings.groupsAttribute],
              explicitBufferAttributes: ['objectGUID'],
            });
            for (const entry of searchEntries)
              standings.set(keyOf(entry), standingOf(entry, await groupsOf(client, settings, entry), Date.now()));
          };
          const lasting = keys.filter((key) => isGuid(key) || isUuid(key));
          for (let at = 0; at < lasting.length; at += peopleAtOnce)
            await read(
              settings.baseDn,
              'sub',
              new AndFilter({
                filters: [FilterParser.parseString(anybody), new OrFilter({ filters: lasting.slice(at, at + peopleAtOnce).map(named) })],
              }),
            );
          for (const dn of keys.filter((key) => !isGuid(key) && !isUuid(key)))
            await read(dn, 'base', FilterParser.parseString(anybody)).catch((error: unknown) => {
              if ((error as { code?: unknown }).code !== 32) throw error;
            });
          return standings;
        });
      } catch (error) {
        throw explain(error, settings);
      }
    },
  };
}
