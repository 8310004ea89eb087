/** Topics of work units. In a title, `%s` stands for the device. */

export interface Story {
  /** 1 incident, 2 change request, 3 request, 4 task. */
  type: number;
  title: string;
  description: string;
  resolution: string;
  note: string;
  group: string;
  /** Mean hours until the work unit is resolved. */
  hours: number;
  /** 0 to 4: the severity around which the severities of its work units lie. */
  severity: number;
  /** Whether a rule opened the work unit. */
  byRule?: boolean;
}

export const stories: readonly Story[] = [
  {
    type: 1,
    title: 'CPU over 90 % three times in a row: %s',
    description: 'Opened by a rule after three heartbeats in a row above 90 % CPU.',
    resolution: 'A report job ran twice at once. The second schedule was removed; load is back to normal.',
    note: 'Two copies of the nightly report are running. Asking the owner before stopping one.',
    group: 'Linux',
    hours: 6,
    severity: 2,
    byRule: true,
  },
  {
    type: 1,
    title: '%s stopped reporting',
    description: 'No packet for ten minutes. Ping answers, the agent does not.',
    resolution: 'The agent was stopped by an update of the system and did not start again. Started; start at boot is set now.',
    note: 'Reachable over the network; the service is not running.',
    group: 'Network',
    hours: 4,
    severity: 1,
    byRule: true,
  },
  {
    type: 1,
    title: 'Disk almost full on %s',
    description: 'Less than 5 % free on the data volume.',
    resolution: 'Old logs were compressed and the volume was extended by 200 GB.',
    note: 'Grows by about 2 GB an hour, so there are six hours left.',
    group: 'Storage',
    hours: 12,
    severity: 2,
    byRule: true,
  },
  {
    type: 1,
    title: 'Memory over 95 % on %s',
    description: 'Memory rises slowly since the release of Tuesday.',
    resolution: 'A leak in the session cache; release 4.8.2 mends it and is rolled out.',
    note: 'Restarted as a stopgap, which holds for about a day. Developers are informed.',
    group: 'Applications',
    hours: 30,
    severity: 2,
    byRule: true,
  },
  {
    type: 1,
    title: 'Orders are not confirmed by mail',
    description: 'Customers call because confirmations of orders do not arrive. First call at 9:40.',
    resolution: 'The mail relay had our address on its deny list. Removed by the provider; the held mails were sent.',
    note: 'The relay answers 554 since 9:31. The ticket at the provider is open.',
    group: 'Applications',
    hours: 5,
    severity: 1,
  },
  {
    type: 1,
    title: 'Certificate of %s expires in three days',
    description: 'Found by the weekly check.',
    resolution: 'Renewed, and the renewal is automatic from now on.',
    note: 'The old certificate was bought by a colleague who has left. Requesting a new one.',
    group: 'Security',
    hours: 20,
    severity: 3,
  },
  {
    type: 1,
    title: 'Nightly backup of %s failed',
    description: 'The job ended after 40 minutes with a write error.',
    resolution: 'The target share was full. Retention of test backups is down to three days; a rerun was fine.',
    note: 'Rerun started, due in an hour.',
    group: 'Storage',
    hours: 10,
    severity: 3,
  },
  {
    type: 3,
    title: 'Cannot sign in to the VPN',
    description: 'Since this morning: "authentication failed". The password works for mail.',
    resolution: 'The second factor was registered on an old telephone. Registered again together with the user.',
    note: 'Called back, no answer. Trying again after lunch.',
    group: 'Service Desk',
    hours: 3,
    severity: 3,
  },
  {
    type: 3,
    title: 'New laptop for a colleague who starts on Monday',
    description: 'Standard equipment, English keyboard, to the office at the harbour.',
    resolution: 'Delivered and signed for.',
    note: 'One is in stock; installation takes until tomorrow.',
    group: 'Service Desk',
    hours: 40,
    severity: 4,
  },
  {
    type: 3,
    title: 'Access to the monthly sales report',
    description: 'I have taken over the region from my predecessor and need what she could see.',
    resolution: 'Added to the group after approval by the head of the department.',
    note: 'Waiting for approval.',
    group: 'Applications',
    hours: 26,
    severity: 4,
  },
  {
    type: 3,
    title: 'Printer on the second floor prints stripes',
    description: 'Since the new toner.',
    resolution: 'The drum was changed.',
    note: 'The part is ordered.',
    group: 'Field Service',
    hours: 30,
    severity: 4,
  },
  {
    type: 2,
    title: 'Update the firmware of %s',
    description: 'Mends two weaknesses of this month’s advisory.',
    resolution: 'Updated in the window, tests passed.',
    note: 'Tried on the spare machine first: twelve minutes without service.',
    group: 'Network',
    hours: 90,
    severity: 3,
  },
  {
    type: 2,
    title: 'Move the database of %s to version 18',
    description: 'Version 14 leaves support in November.',
    resolution: 'Moved in 35 minutes; the old cluster is kept for a week.',
    note: 'Rehearsed on a copy: 31 minutes for 400 GB.',
    group: 'Applications',
    hours: 160,
    severity: 2,
  },
  {
    type: 4,
    title: 'Walk through the alarms of last month',
    description: 'Which rules were loud and led to nothing?',
    resolution: 'Four rules were narrowed, one was removed.',
    note: 'The list of the ten loudest is attached to the wiki page.',
    group: 'Service Desk',
    hours: 70,
    severity: 4,
  },
];
