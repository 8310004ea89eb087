/** What this service provider supports, as SCIM describes it (RFC 7643, 5 to 7). */
export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** Resources of one answer. */
export const maxResults = 200;
export const usualResults = 100;

interface Attribute {
  name: string;
  type: 'string' | 'boolean' | 'complex' | 'reference';
  description: string;
  required?: boolean;
  caseExact?: boolean;
  multiValued?: boolean;
  mutability?: 'readWrite' | 'readOnly' | 'immutable';
  uniqueness?: 'none' | 'server';
  subAttributes?: Attribute[];
  canonicalValues?: string[];
  referenceTypes?: string[];
}

/** Fills in what most attributes have in common. */
function described({ subAttributes, ...attribute }: Attribute): object {
  return {
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...attribute,
    ...(subAttributes ? { subAttributes: subAttributes.map(described) } : {}),
  };
}

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
});

const externalId = text('externalId', 'The key of the resource in the directory.', { caseExact: true });

const userAttributes: Attribute[] = [
  text('userName', 'The name with which the person signs in; in no other directory.', { required: true, uniqueness: 'server' }),
  externalId,
  {
    name: 'name',
    type: 'complex',
    description: 'The parts of the name.',
    subAttributes: [
      text('formatted', 'The whole name.'),
      text('familyName', 'The family name.'),
      text('givenName', 'The given name.'),
      text('middleName', 'The middle name.'),
    ],
  },
  text('displayName', 'The name that others see; otherwise that of name.'),
  {
    name: 'emails',
    type: 'complex',
    multiValued: true,
    description: 'Mail addresses; the primary one, or else the first, gets messages.',
    subAttributes: [
      text('value', 'The address.'),
      text('type', 'What it is for.', { canonicalValues: ['work', 'home', 'other'] }),
      { name: 'primary', type: 'boolean', description: 'Whether it is the preferred one.' },
    ],
  },
  { name: 'active', type: 'boolean', description: 'Whether the person has access; false ends all sessions at once.' },
  {
    name: 'groups',
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    description: 'The groups of the person; changed by the groups.',
    subAttributes: [
      text('value', 'The id of the group.', { mutability: 'readOnly' }),
      text('display', 'The name of the group.', { mutability: 'readOnly' }),
      { name: '$ref', type: 'reference', referenceTypes: ['Group'], description: 'The address of the group.', mutability: 'readOnly' },
    ],
  },
];

const groupAttributes: Attribute[] = [
  text('displayName', 'The name of the group, by which grants name it.', { required: true, uniqueness: 'server' }),
  externalId,
  {
    name: 'members',
    type: 'complex',
    multiValued: true,
    description: 'People of this directory. Groups are no members.',
    subAttributes: [
      text('value', 'The id of the user.', { mutability: 'immutable', caseExact: true }),
      text('display', 'The name of the user.', { mutability: 'readOnly' }),
      text('type', 'User.', { mutability: 'immutable', canonicalValues: ['User'] }),
      { name: '$ref', type: 'reference', referenceTypes: ['User'], description: 'The address of the user.', mutability: 'immutable' },
    ],
  },
];

export function schemasOf(base: string): (object & { id: string })[] {
  return [
    { id: userSchema, name: 'User', description: 'A person', attributes: userAttributes },
    { id: groupSchema, name: 'Group', description: 'A group of people', attributes: groupAttributes },
  ].map(({ attributes, ...schema }) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    attributes: attributes.map(described),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));
}

export function resourceTypesOf(base: string): (object & { id: string })[] {
  return [
    { id: 'User', endpoint: '/Users', schema: userSchema, description: 'A person' },
    { id: 'Group', endpoint: '/Groups', schema: groupSchema, description: 'A group of people' },
  ].map((type) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    name: type.id,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.id}` },
  }));
}

export function providerConfigOf(base: string): object {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Token of the directory',
        description: 'Send the token of the directory, which begins with cfsd_, as a bearer token.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}
