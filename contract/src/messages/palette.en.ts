/** Texts of the command palette. */
export const paletteTexts = {
  title: 'Command palette',
  placeholder: 'Go to a screen, a tenant, a work unit, a device, a person…',
  results: (n: number) => (n === 1 ? '1 result' : `${n} results`),
  searching: 'Searching…',
  none: (text: string) => `Nothing matches “${text}”.`,
  noneHint: 'Try the name of a screen, tenant, device or person, or words or the number of a work unit.',
  choose: 'choose',
  run: 'open',
  close: 'close',
  groups: {
    workUnits: 'Work units',
    operators: 'Search work units',
    screens: 'Go to',
    create: 'Create',
    actions: 'Actions',
    tenants: 'Switch tenant',
    devices: 'Devices',
    people: 'People',
  },
  /** Further words by which the palette finds screens. */
  words: {
    notifications: 'notifications push phone sms mail quiet hours my channels browser',
    photo: 'avatar picture image profile',
    invite: 'invite add new person user colleague give access',
    createRule: 'new add condition threshold alert alarm',
    view: 'saved view filter list',
    publishers: 'trusted signatures signing public keys packages',
  },
  createRule: 'Create Rule',
  createUnit: (type: string) => `Create ${type}`,
  unit: (id: number, title: string) => `#${id} ${title}`,
};
