/** Filters the controls in the browser: all controls of a set are loaded. */
import type { WeekControl } from './use-controls.ts';
import type { Place, Status } from './use-place.ts';

export const statusOf = (control: WeekControl): Status => (control.controlStatuses[0]?.status ?? 'Notset') as Status;

/** Whether the status differs from the week before. A control that has no status in one of the two weeks is not changed. */
export function isChanged(control: WeekControl, before: ReadonlyMap<string, Status>): boolean {
  const was = before.get(control.id) ?? 'Notset';
  return was !== 'Notset' && was !== statusOf(control) && statusOf(control) !== 'Notset';
}

/** What a sign-off leaves open: controls without a status, exempt controls without a note, and whether the week has ended. */
export function openIn(controls: readonly WeekControl[], monday: string): { unset: number; unexplained: number; isOver: boolean } {
  return {
    unset: controls.filter((control) => statusOf(control) === 'Notset').length,
    unexplained: controls.filter((control) => statusOf(control) === 'Exempt' && !control.controlStatuses[0]?.notes?.trim()).length,
    isOver: Date.parse(monday) + 7 * 86_400_000 <= Date.now(),
  };
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
