/** Filters the controls in the browser: all controls of a set are loaded. */
import type { WeekControl } from './use-controls.ts';
import type { Place, Status } from './use-place.ts';

export const statusOf = (control: WeekControl): Status => (control.controlStatuses[0]?.status ?? 'Notset') as Status;

/** Whether the status differs from the week before. A control that has no status in one of the two weeks is not changed. */
export function isChanged(control: WeekControl, before: ReadonlyMap<string, Status>): boolean {
  const was = before.get(control.id) ?? 'Notset';
  return was !== 'Notset' && was !== statusOf(control) && statusOf(control) !== 'Notset';
}

export function narrowed(
  controls: readonly WeekControl[],
  { search, status, isChangedOnly }: Pick<Place, 'search' | 'status' | 'isChangedOnly'>,
  before: ReadonlyMap<string, Status>,
): readonly WeekControl[] {
  const words = search.toLocaleLowerCase();
  return controls.filter(
    (control) =>
      (status === undefined || statusOf(control) === status) &&
      (!isChangedOnly || isChanged(control, before)) &&
      (words === '' || `${control.name} ${control.title}`.toLocaleLowerCase().includes(words)),
  );
}
