/** Texts of a policy that goes out in rings. */

export const policyRingTexts = {
  open: 'Roll out in rings',
  title: (name: string) => `Roll out ${name || 'this policy'} in rings`,
  explained:
    'The new version reaches one ring of devices after the other. The policy is saved when the last ring has passed. Devices that join meanwhile get the version of their ring.',
  share: {
    label: 'Must succeed, in percent of a ring',
    help: 'A device succeeds when it has all of the new version, with packages installed. Devices that do not answer do not count.',
  },
  undone: 'If a ring fails, the campaign stops and the version before applies to all devices again.',
  start: 'Begin with ring 1',
  running: (title: string) => `A new version is going out by the campaign ${title}. The policy can be edited when it is over.`,
  paused: (title: string) => `A new version is going out by the campaign ${title}, which is paused.`,
  toCampaign: 'Open the campaign',
  toPolicy: 'Open the policy',
  changes: 'What changes',
  nothing: 'Nothing changes on devices.',
  ring: (at: number, hasNew: boolean) => `ring ${at}, ${hasNew ? 'new version' : 'version before'}`,
  stopQuestion: (n: number) =>
    `Stop this campaign? The version before applies to ${n === 1 ? '1 device' : `${n.toLocaleString('en')} devices`} again.`,
  returnQuestion: 'Return to the version before on all devices of the policy?',
  adoptQuestion: 'Save the new version for all devices of the policy, without waiting any longer?',
};
