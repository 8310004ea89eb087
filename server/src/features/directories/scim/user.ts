/** A user of SCIM: its form, and how it becomes a person. */
import { oneLine, startOf } from '@cloudfit/contract/one-line.ts';
import { domainOf } from './directory-call.ts';
import type { PatchedAttributes } from './patch.ts';
import { invalidValue } from './scim-error.ts';
import { userSchema } from './schemas.ts';

interface UserEmail {
  value: string;
  type?: string;
  primary?: boolean;
}

const nameParts = ['formatted', 'familyName', 'givenName', 'middleName'] as const;

/** What is stored of a user beside user name and state. */
export interface UserProfile {
  name?: Partial<Record<(typeof nameParts)[number], string>>;
  displayName?: string;
  emails: UserEmail[];
}

export interface ScimUser {
  userName: string;
  externalId: string | null;
  active: boolean;
  profile: UserProfile;
}

export const userParts: PatchedAttributes = {
  userName: [],
  externalId: [],
  active: [],
  displayName: [],
  name: nameParts,
  emails: ['value', 'type', 'primary'],
};

const maxEmails = 20;

function property(body: object, name: string): unknown {
  const key = Object.keys(body).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : (body as Record<string, unknown>)[key];
}

/** A text on one line; undefined when it is missing, null or empty, which mean the same. */
function textOf(body: object, name: string, longest = 320): string | undefined {
  const value = property(body, name);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalidValue(`${name} must be a text.`);
  const line = oneLine(value);
  if (line.length > longest) throw invalidValue(`${name} may have ${longest} characters.`);
  return line === '' ? undefined : line;
}

/** Entra ID sends "True" and "False". */
function booleanOf(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  throw invalidValue(`${name} must be true or false.`);
}

function emailsOf(value: unknown): UserEmail[] {
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > maxEmails) throw invalidValue(`A user has at most ${maxEmails} emails.`);
  const emails = list.flatMap((item): UserEmail[] => {
    const entry = typeof item === 'string' ? { value: item } : item;
    if (typeof entry !== 'object' || entry === null) throw invalidValue('emails is a list of objects with a value.');
    const address = textOf(entry, 'value');
    if (address === undefined) return [];
    if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw invalidValue(`${address} is no mail address.`);
    const type = textOf(entry, 'type', 40);
    const primary = property(entry, 'primary');
    return [
      {
        value: address,
        ...(type === undefined ? {} : { type }),
        ...(primary === undefined || primary === null ? {} : { primary: booleanOf(primary, 'primary') }),
      },
    ];
  });
  if (emails.filter(({ primary }) => primary).length > 1) throw invalidValue('Only one of emails can be primary.');
  return emails;
}

/**
 * Reads a user as it is sent, or as a patch has left it. Attributes that are not supported are ignored. Nobody gets access by an `active` that is
 * left out: the state stays as it is.
 */
export function userOf(body: unknown, activeBefore = true): ScimUser {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidValue('Send a user as a JSON object.');
  const userName = textOf(body, 'userName');
  if (userName === undefined) throw invalidValue('userName is required.');
  const names = property(body, 'name');
  if (names !== undefined && names !== null && (typeof names !== 'object' || Array.isArray(names)))
    throw invalidValue('name must be an object with formatted, familyName and givenName.');
  const name = Object.fromEntries(
    nameParts.flatMap((part) => {
      const text = names ? textOf(names, part) : undefined;
      return text === undefined ? [] : [[part, text]];
    }),
  );
  const active = property(body, 'active');
  const displayName = textOf(body, 'displayName');
  return {
    userName,
    externalId: textOf(body, 'externalId', 500) ?? null,
    active: active === undefined || active === null ? activeBefore : booleanOf(active, 'active'),
    profile: {
      ...(Object.keys(name).length > 0 ? { name } : {}),
      ...(displayName === undefined ? {} : { displayName }),
      emails: emailsOf(property(body, 'emails')),
    },
  };
}

const joined = ({ givenName, middleName, familyName }: NonNullable<UserProfile['name']>): string =>
  [givenName, middleName, familyName].filter(Boolean).join(' ');

/** The whole name follows a patch of its parts that leaves it out; its own form, such as a title in front, stays. */
export function followName(before: UserProfile, after: UserProfile): UserProfile {
  const [was, is] = [before.name ?? {}, after.name ?? {}];
  const parts = (['givenName', 'middleName', 'familyName'] as const).filter((part) => was[part] !== is[part]);
  if (was.formatted === undefined || was.formatted !== is.formatted || parts.length === 0) return after;
  let formatted: string | undefined = was.formatted === joined(was) ? undefined : was.formatted;
  for (const part of parts) {
    const around = formatted?.split(was[part] ?? '\0');
    formatted = around?.length === 2 ? around.join(is[part] ?? '') : undefined;
  }
  formatted = oneLine(formatted ?? joined(is));
  const { formatted: _earlier, ...others } = is;
  return { ...after, name: formatted === '' ? others : { formatted, ...others } };
}

/** The document to which a patch is applied. */
export function documentOf({ userName, externalId, active, profile }: ScimUser): object {
  return { schemas: [userSchema], userName, ...(externalId === null ? {} : { externalId }), active, ...profile };
}

/** The columns of a person that a user decides. */
export function personOf({ userName, profile }: ScimUser, mailDomains: readonly string[]) {
  const { name = {}, displayName, emails } = profile;
  const parts = [name.givenName, name.familyName].filter(Boolean).join(' ');
  const address =
    (emails.find(({ primary }) => primary) ?? emails[0])?.value ?? (/^[^\s@]+@[^\s@]+$/.test(userName) ? userName : undefined);
  return {
    name: startOf(displayName ?? name.formatted ?? (parts === '' ? userName : parts), 200),
    email: address ?? null,
    // The directory speaks for the addresses of its domains alone.
    emailVerified: address !== undefined && mailDomains.includes(domainOf(address)),
  };
}
