import { severities } from '../enums.ts';
import { mailboxSecurity, mailboxSignIns, unknownSenderPolicies } from '../mail/mailboxes.ts';
import { defineResource, f, one, optional } from '../resource.ts';
import { secretName } from './tenant-secrets.ts';

/**
 * An address whose mails open and answer work units: read by IMAP, or handed over by a mail server with the token of the mailbox. Only
 * the answer to its creation, and to a new token, contains `generatedToken`; the server stores its hash.
 */
export const mailboxes = defineResource({
  name: 'mailboxes',
  label: 'Mailbox',
  plural: 'Mailboxes',
  key: 'mailboxId',
  title: 'name',
  area: 'Sources',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  fields: {
    mailboxId: f.key('Mailbox ID'),
    name: f.text('Name', { required: true, search: true, max: 100 }),
    address: f.text('Mail address', {
      required: true,
      search: true,
      max: 320,
      pattern: /^[^\s@<>,;"]+@[^\s@<>,;"]+$/,
      message: 'Please enter the address to which people write, such as support@example.com.',
    }),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    enabled: f.boolean('Enabled', { initial: true }),
    host: optional(
      f.text('Host', {
        max: 253,
        pattern: /^[A-Za-z0-9.:-]+$/,
        message: 'Please enter the name of the IMAP server alone, such as imap.example.com.',
        help: 'The IMAP server. Empty: mails come by the token only',
      }),
    ),
    port: f.int('Port', { min: 1, max: 65_535, initial: 993 }),
    security: f.choice('Security', mailboxSecurity, {
      initial: 'Tls',
      choices: [
        { value: 'Tls', label: 'TLS' },
        { value: 'StartTls', label: 'STARTTLS' },
      ],
    }),
    userName: optional(f.text('User name', { max: 320 })),
    signIn: f.choice('Sign-in', mailboxSignIns, {
      initial: 'Password',
      choices: [
        { value: 'Password', label: 'Password' },
        { value: 'OAuth2', label: 'OAuth 2.0' },
      ],
    }),
    passwordSecret: optional(
      f.text('Secret of the password', {
        max: 100,
        pattern: secretName,
        message: 'Please enter the name of a secret of the tenant.',
        help: 'The secret of the tenant with the password or the client secret',
      }),
    ),
    tokenAddress: optional(
      f.text('Token address', {
        max: 500,
        input: 'text',
        pattern: /^https?:\/\/[^\s?#@]+$/,
        message: 'Please enter the address at which the provider gives tokens, beginning with https://.',
        help: 'Such as https://login.microsoftonline.com/TENANT/oauth2/v2.0/token',
      }),
    ),
    clientId: optional(f.text('Client ID', { max: 300 })),
    refreshSecret: optional(
      f.text('Secret of the refresh token', {
        max: 100,
        input: 'text',
        pattern: secretName,
        message: 'Please enter the name of a secret of the tenant.',
        help: 'As for Gmail: the secret with the refresh token. Empty: the client acts by itself',
      }),
    ),
    scope: optional(f.text('Scopes', { max: 500, help: 'Such as https://outlook.office365.com/.default' })),
    folder: f.text('Folder', { max: 300, initial: 'INBOX' }),
    certificate: optional(
      f.text('Certificate of the authority', {
        max: 20_000,
        input: 'multiline',
        sort: false,
        help: 'PEM. Only for a server whose certificate no public authority has signed',
      }),
    ),
    workUnitTypeId: f.refNumber('Work Unit Type', 'workUnitTypes', { required: true, message: 'Please choose a work unit type.' }),
    severityId: f.choice('Severity', severities, { initial: 'Sev3' }),
    workUnitCategoryId: optional(f.ref('Category', 'workUnitCategories')),
    unknownSenders: f.choice('Unknown senders', unknownSenderPolicies, {
      initial: 'Open',
      choices: [
        { value: 'Open', label: 'Open work units' },
        { value: 'Hold', label: 'Wait for a person' },
        { value: 'Refuse', label: 'Are refused' },
      ],
    }),
    senderLimit: f.int('Mails of a sender an hour', {
      min: 1,
      max: 1_000,
      initial: 30,
      help: 'Further ones are refused: two programs may answer each other',
    }),
    programMails: f.boolean('Mails of programs', {
      initial: false,
      help: 'Also those of monitoring and cron',
    }),
    authservId: optional(
      f.text('Checking mail server', {
        max: 253,
        pattern: /^[^\s;]+$/,
        message: 'Please enter the first name in Authentication-Results.',
        help: 'The name in Authentication-Results of your mail server. Empty: senders are not checked',
      }),
    ),
    tokenHint: f.text('Token', { write: 'never' }),
    /** When the server last answered; empty before the first time. */
    connected: optional(f.timestamp('Last connection', { write: 'never' })),
    /** Why it cannot be read now. */
    problem: optional(f.text('Problem', { write: 'never', max: 1_000 })),
    lastMail: optional(f.timestamp('Last mail', { write: 'never' })),
    mailsTaken: f.bigint('Taken mails', { write: 'never' }),
    mailsHeld: f.bigint('Waiting mails', { write: 'never' }),
    mailsRefused: f.bigint('Refused mails', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    workUnitType: one('workUnitTypes', 'workUnitTypeId'),
    workUnitCategory: one('workUnitCategories', 'workUnitCategoryId'),
  },
});
