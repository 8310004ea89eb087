/** Texts of pending devices. */
export const pendingTexts = {
  promote: 'Promote',
  hideInactive: 'Hide Inactive Devices',
  showInactive: 'Show Inactive Devices',
  toggleHint: 'Hide/Show Inactive Devices: those that have not pinged in the last day',
  inactive: 'Inactive',
  inactiveHint: 'Has not pinged in the last day',
  tooMany: 'Please select fewer than 25 Devices.',
  promoteTitle: (count: number, subscription: string | undefined) =>
    `Promote ${count === 1 ? '1 device' : `${count} devices`}${subscription ? ` to ${subscription}` : ''}`,
  promoteQuestion: 'Selected devices will be promoted to the current subscription. Are you sure?',
  promoteToQuestion: (subscription: string) => `It becomes a device of the subscription ${subscription}. Are you sure?`,
  promoting: 'Promoting…',
  viewDevices: 'View devices',
  promoted: (count: number) => (count === 1 ? '1 device was promoted.' : `${count} devices were promoted.`),
  openDevice: 'Open device',
  deleteTitle: (count: number) => `Delete ${count === 1 ? '1 device' : `${count} devices`}`,
  deleteQuestion: 'Selected devices will be permanently deleted. Are you sure?',
  deleted: (count: number) => (count === 1 ? '1 pending device was deleted.' : `${count} pending devices were deleted.`),
  emptyText: 'A machine appears here when its agent starts for the first time with a token of this tenant.',
  facts: 'Reported by the machine',
  copy: 'Copy',
  copyHint: (device: string) =>
    `Its agent came with a copy of ${device}: the state folder of that device was copied, as with an image of its disk.`,
} as const;
