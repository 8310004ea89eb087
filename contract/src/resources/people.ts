import { defineResource, f, many, one, optional } from '../resource.ts';

/** A person who may sign in. A first sign-in, an invitation or an administrator creates the row, which is never deleted. */
export const people = defineResource({
  name: 'people',
  label: 'Person',
  plural: 'People',
  key: 'personId',
  title: 'name',
  area: 'People',
  scope: { kind: 'installation' },
  verbs: ['list', 'create', 'update'],
  orderBy: 'name asc',
  portable: { by: ['userName'], imported: 'only' },
  fields: {
    personId: f.key('Person ID'),
    name: f.text('Name', { required: true, search: true }),
    userName: f.text('User name', { required: true, max: 320, search: true, help: 'The sign-in email' }),
    email: optional(f.text('Email', { max: 320, search: true })),
    emailVerified: f.boolean('Email verified', { write: 'never', initial: false, help: 'Only a verified address counts' }),
    enabled: f.boolean('Enabled', { initial: true }),
    secondFactor: f.choice('Second factor', ['None', 'Passkey', 'Code', 'PasskeyAndCode'], {
      write: 'never',
      initial: 'None',
      choices: [
        { value: 'None', label: 'None' },
        { value: 'Passkey', label: 'Passkey' },
        { value: 'Code', label: 'Authenticator app' },
        { value: 'PasskeyAndCode', label: 'Passkey and app' },
      ],
    }),
    photo: optional(f.text('Photo', { write: 'never', max: 64, help: 'SHA-256 of the photo, which its address contains' })),
    pictureProblem: optional(f.text('Photo of the provider', { write: 'never', help: 'Why it was not used' })),
    directoryId: optional(f.ref('Directory', 'directories', { write: 'never' })),
    lastSignIn: optional(f.timestamp('Last sign-in', { write: 'never' })),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { grants: many('grants', 'personId'), directory: one('directories', 'directoryId') },
});
