const format = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
});

/** A time of a shift with the viewer's time zone, because the schedule may have another one. */
export const zoneTime = (instant: string | number): string => format.format(new Date(instant));

/** The viewer's zone, for inputs of local times. */
export const viewerZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
