import { z } from 'zod/mini';
import { defineResource, f, guidSchema, many, optional } from '../resource.ts';

/** How people of a directory sign in; people of `None` by the sign-in of this installation. */
const directoryKinds = ['Oidc', 'Ldap', 'None'] as const;
export type DirectoryKind = (typeof directoryKinds)[number];

/** The prefix of the tokens with which a directory provisions people. */
export const directoryTokenPrefix = 'cfsd_';

/** The name by which a group of a directory stands in grants, and as a team of its people. */
export const groupOfDirectory = (prefix: string, group: string): string => `${prefix}:${group}`;

const domain = z.string().check(
  z.regex(/^(?=.{3,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/, {
    error: 'A mail domain is what follows the @ of addresses, in small letters, such as example.com.',
  }),
);

/**
 * Where people of an organisation sign in, by OpenID Connect or LDAP, and from where they are provisioned by SCIM. They have rights in
 * its tenants alone, by grants to its groups: their names begin with the prefix of the directory.
 */
export const directories = defineResource({
  name: 'directories',
  label: 'Directory',
  plural: 'Directories',
  about: 'Where people of an organisation sign in, and from where they are provisioned. Seen by those who see people in all tenants.',
  key: 'directoryId',
  title: 'name',
  area: 'People',
  scope: { kind: 'installation' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  fields: {
    directoryId: f.key('Directory ID'),
    name: f.text('Name', { required: true, search: true, max: 100 }),
    prefix: f.text('Prefix of groups', {
      required: true,
      write: 'create',
      max: 32,
      pattern: /^[a-z][a-z0-9-]*$/,
      message: 'Please enter a short name of small letters, digits and hyphens, such as contoso.',
      help: 'Its group Admins is contoso:Admins in grants. It never changes',
    }),
    kind: f.choice('Sign-in', directoryKinds, {
      initial: 'Oidc',
      choices: [
        { value: 'Oidc', label: 'OpenID Connect' },
        { value: 'Ldap', label: 'LDAP' },
        { value: 'None', label: 'Of this installation' },
      ],
    }),
    enabled: f.boolean('Enabled', { initial: true, help: 'Without it, its people have no access' }),
    allTenants: f.boolean('All tenants', { initial: false, help: 'Its people may have rights in every tenant' }),
    tenantIds: f.json(
      'Tenants of a directory',
      () => z.array(guidSchema, { error: 'Tenants are a list of their keys.' }).check(z.maxLength(500)),
      {
        initial: [] as string[],
        input: 'multiline',
      },
    ),
    mailDomains: f.json('Mail domains', () => z.array(domain, { error: 'Mail domains are a list of texts.' }).check(z.maxLength(100)), {
      initial: [] as string[],
      input: 'multiline',
      help: 'Whose addresses are verified by the directory, and who is sent to its sign-in. Separated by commas',
    }),
    issuer: optional(
      f.text('Issuer', {
        max: 500,
        pattern: /^https?:\/\/[^\s?#]+$/,
        message: 'Please enter the address of the provider, as it stands in the field issuer of its discovery document.',
        help: 'As in its discovery document, such as https://login.example.com/realms/ops',
      }),
    ),
    clientId: optional(f.text('Client ID', { max: 300 })),
    scope: f.text('Scopes', { max: 300, initial: 'openid profile email', help: 'What is asked for at the sign-in' }),
    groupsClaim: f.text('Claim of groups', {
      max: 200,
      initial: 'groups',
      help: 'Of the ID token; with LDAP the attribute, such as memberOf',
    }),
    ldapUrl: optional(
      f.text('LDAP server', {
        max: 300,
        pattern: /^ldaps?:\/\/[A-Za-z0-9.:[\]-]+$/,
        message: 'Please enter the address of the server, such as ldaps://dc1.example.com.',
        help: 'ldaps://, or ldap:// with STARTTLS',
      }),
    ),
    startTls: f.boolean('STARTTLS', { initial: false }),
    bindDn: optional(f.text('Account that searches', { max: 500, help: 'Its distinguished name, or its user principal name' })),
    baseDn: optional(f.text('Searched below', { max: 500, help: 'Such as dc=example,dc=com' })),
    userFilter: f.text('Filter of people', {
      max: 500,
      initial: '(|(uid={name})(mail={name})(sAMAccountName={name})(userPrincipalName={name}))',
      help: '{name} stands for what the person enters',
    }),
    nestedGroups: f.boolean('Groups of groups', { initial: true, help: 'With LDAP, groups that contain the groups of a person count too' }),
    certificate: optional(
      f.text('Certificate of the authority', {
        max: 20_000,
        input: 'multiline',
        sort: false,
        help: 'PEM. Only for a server whose certificate no public authority has signed',
      }),
    ),
    /** When the client secret, or the password of the account that searches, was stored. */
    secretSetOn: optional(f.timestamp('Secret stored', { write: 'never' })),
    tokenHint: optional(f.text('Token of SCIM', { write: 'never' })),
    tokenExpiresOn: optional(f.timestamp('Token ends', { write: 'never' })),
    hasButton: f.boolean('Button on the sign-in page', {
      initial: false,
      help: 'Everybody who opens the page sees the name. Without it, the mail domain leads there',
    }),
    provisionedOnly: f.boolean('Only provisioned people', { initial: false, help: 'A first sign-in makes no person' }),
    tellNewPeople: f.boolean('Mail to new people', {
      initial: false,
      help: 'Whom SCIM makes, with an address of its mail domains, is told how to sign in',
    }),
    lastProvisioned: optional(f.timestamp('Last provisioned', { write: 'never' })),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { people: many('people', 'directoryId') },
});
