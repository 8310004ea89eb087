import type { PlaceholderGroup } from '../rules/placeholder-examples.ts';

/** Texts of the list of placeholders, and of unknown placeholders. */
export const placeholderTexts = {
  insert: 'Insert placeholder',
  hint: 'Type { for the list of placeholders; the arrow keys and Enter choose one. {LocationName|none} says none where there is no location.',
  byDefault: 'Without a value, the text is empty; {LocationName|none} says none.',
  list: 'Placeholders',
  groups: {
    parameter: 'Parameters of this action',
    unit: 'Work unit',
    match: 'Match and rule',
    device: 'Device, operation and block',
    packet: 'Packet',
    tenant: 'Tenant and run',
    secret: 'Secrets of the tenant',
  } satisfies Record<PlaceholderGroup | 'parameter' | 'secret', string>,
  parameterHelp: 'What is entered where the action is used',
  readings: {
    'Metrics.': 'A metric of the packet: continue with its name',
    'States.': 'A state of the packet: continue with its name',
    'Properties.': 'A property of the packet: continue with its name',
  },
  reported: 'Reported recently',
  namedSecret: 'Filled in when it is sent, and shown nowhere',
  none: (typed: string) => `Nothing is called ${typed}.`,
  unknown: (name: string) => `There is no placeholder {${name}}.`,
  like: (name: string) => `Did you mean {${name}}?`,
  use: (name: string) => `Use {${name}}`,
} as const;
