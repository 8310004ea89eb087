/** The parameters of the built-in action Notify. */
export const notifyWhom = ['Person', 'Schedule', 'Group', 'Assignee', 'Customer'] as const;
export type NotifyWhom = (typeof notifyWhom)[number];

export type NotifyParameters = Readonly<Record<string, string | number | boolean | null | undefined>>;

const text = (value: NotifyParameters[string]): string => (value === null || value === undefined ? '' : String(value).trim());

export type NotifyTarget =
  | { whom: 'Person'; personId: string }
  | { whom: 'Schedule'; scheduleId: string }
  | { whom: 'Group'; group: string }
  | { whom: 'Assignee' }
  | { whom: 'Customer' };

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns whom a step notifies, or a sentence that says which parameter is missing. */
export function notifyTarget(parameters: NotifyParameters): NotifyTarget | string {
  const whom = text(parameters['Whom']);
  if (whom === 'Assignee' || whom === 'Customer') return { whom };
  if (whom === 'Person') {
    const personId = text(parameters['PersonId']).toLowerCase();
    return guid.test(personId) ? { whom, personId } : 'Choose the person whom the step notifies (PersonId).';
  }
  if (whom === 'Schedule') {
    const scheduleId = text(parameters['ScheduleId']).toLowerCase();
    return guid.test(scheduleId) ? { whom, scheduleId } : 'Choose the on-call schedule that the step notifies (ScheduleId).';
  }
  if (whom === 'Group') {
    const group = text(parameters['Group']);
    return group === '' ? 'Name the group that the step notifies (Group).' : { whom, group };
  }
  return `Choose whom the step notifies (Whom): ${notifyWhom.join(', ')}.`;
}
