/** Addresses of the calendar feeds of on-call schedules: signed, and valid until the schedule's number changes. */
import { z } from 'zod';
import { readSignedText, signedText, type Signer } from './signed-text.ts';

const purpose = 'calendar';

/** The schedule of a link, and the number that the schedule had when the link was created. */
export interface CalendarTarget {
  onCallScheduleId: string;
  tenantId: string;
  number: number;
}

export interface CalendarLinks {
  url(target: CalendarTarget): string;
  /** The target of a link; undefined when this installation did not sign the link. */
  read(token: string): CalendarTarget | undefined;
}

const content = z.tuple([z.uuid(), z.uuid(), z.int()]);

export function openCalendarLinks(signer: Signer, publicUrl: string): CalendarLinks {
  return {
    url: ({ onCallScheduleId, tenantId, number }) =>
      `${publicUrl}/v1/onCallCalendars/${signedText(signer, purpose, [onCallScheduleId, tenantId, number])}`,
    read: (token) => {
      const parts = content.safeParse(readSignedText(signer, purpose, token)).data;
      return parts && { onCallScheduleId: parts[0], tenantId: parts[1], number: parts[2] };
    },
  };
}
