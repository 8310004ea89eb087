import { severities } from '../enums.ts';
import { mailAddress } from '../mail-address.ts';
import { languages } from '../messages/language.ts';
import { asTimeZone } from '../on-call/hours-fields.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** Of which communications a contact is told: those about incidents, those about changes, or both. */
export const contactKinds = ['All', 'Incidents', 'Maintenance'] as const;

const contactLanguages = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'German' },
] as const satisfies readonly { value: (typeof languages)[number]; label: string }[];

/** The maximum number of contacts of one tenant. */
export const contactsMax = 2_000;

/** Whom a tenant tells of its communications by mail. */
export const communicationContacts = defineResource({
  name: 'communicationContacts',
  label: 'Contact',
  plural: 'Communication Contacts',
  about:
    'A person or mailbox that gets the updates of communications by mail, when their author sends them. Each mail has a link that ends them.',
  key: 'communicationContactId',
  title: 'name',
  area: 'WorkUnitCommunications',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'email'], imported: 'only' },
  fields: {
    communicationContactId: f.key('Contact ID'),
    name: f.text('Name', { required: true, search: true }),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    email: f.text('Email', {
      required: true,
      max: 254,
      search: true,
      pattern: mailAddress,
      message: 'Please enter one mail address, such as name@example.com.',
    }),
    phone: optional(f.text('Phone', { max: 60, search: true })),
    language: f.choice('Language', languages, { initial: 'en', choices: contactLanguages }),
    timeZone: optional(
      asTimeZone(
        f.text('Time zone', { max: 100, help: 'Of the times in mails, such as Europe/Berlin. Blank: that of the person, else UTC.' }),
      ),
    ),
    kinds: f.choice('Told of', contactKinds, { initial: 'All' }),
    minimumSeverity: f.choice('Minimum Severity', severities, {
      initial: 'Sev4',
      help: 'Sev4: every communication. One without work units has no severity and is always sent.',
    }),
    active: f.boolean('Gets Mails', { initial: true }),
    /** When the link in a mail, or the person in the resolution center, ended the mails. */
    unsubscribed: optional(f.timestamp('Unsubscribed', { write: 'never' })),
    /** The person who subscribed in the resolution center; null for a contact that staff added. */
    personId: optional(f.ref('Subscribed Person', 'people', { write: 'never' })),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
