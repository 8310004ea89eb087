/** Texts of a rule that comes into force in rings. */

const devices = (n: number) => (n === 1 ? '1 device' : `${n.toLocaleString('en')} devices`);

export const ruleRingTexts = {
  open: 'Roll out in rings',
  title: (name: string) => `Roll out ${name || 'this rule'} in rings`,
  explained:
    'The new version applies to one ring of devices after the other, and to everything when the last ring has passed. Name, color, protocol and grouping change at the end.',
  explainedNew: 'The rule applies to one ring of devices after the other, and to everything when the last ring has passed.',
  which: 'Devices',
  allDevices: 'All that are enabled',
  withTag: 'With a tag',
  tag: 'Tag',
  none: 'No device was found.',
  one: 'Rings need at least two devices.',
  byItself: 'A rule that looks at the matches of other rules does not come into force in rings: save it.',
  counting: 'Counting the devices…',
  deviceCount: (n: number) => `${devices(n)}.`,
  share: {
    label: 'Must stay without a new match, in percent of a ring',
    help: 'A device fails when the new version opens a match there. It passes when none opens for as long as the conditions take to hold.',
  },
  undone: 'If a ring fails, the campaign stops and the previous version applies to these devices again.',
  start: 'Begin with ring 1',
  running: (title: string) => `A new version comes into force by the campaign ${title}. The rule can be edited when it is over.`,
  changes: 'What changes',
  notInForce: 'This change did not come into force:',
  change: (before: string, after: string) => `${before} → ${after}`,
  empty: 'none',
  yes: 'yes',
  no: 'no',
  differ: 'changed',
  short: 'A new version comes into force.',
  toCampaign: 'Open the campaign',
};
