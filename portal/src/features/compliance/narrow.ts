/** Filters the controls in the browser: all controls of a set are loaded. */
import type { WeekControl } from './use-controls.ts';
import type { Place, Status } from './use-place.ts';

export const statusOf = (control: WeekControl): Status => (control.controlStatuses[0]?.status ?? 'Notset') as Status;

export function narrowed(controls: readonly WeekControl[], { search, status }: Pick<Place, 'search' | 'status'>): readonly WeekControl[] {
  const words = search.toLocaleLowerCase();
  return controls.filter(
    (control) =>
      (status === undefined || statusOf(control) === status) &&
      (words === '' || `${control.name} ${control.title}`.toLocaleLowerCase().includes(words)),
  );
}
