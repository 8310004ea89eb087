/** Links in reports by mail, by which a receiver ends them at any time. */
import { z } from 'zod';
import { readSignedText, signedText, type Signer } from './signed-text.ts';

const purpose = 'report-unsubscribe';
const content = z.tuple([z.uuid(), z.uuid()]);

/** Where the links lead; the token follows. */
export const reportLinkPath = '/status/end-reports/';

export interface ReportReceiver {
  reportScheduleId: string;
  personId: string;
}

export interface ReportLinks {
  url(receiver: ReportReceiver): string;
  /** The receiver of a link; undefined when this installation did not sign the link. */
  read(token: string): ReportReceiver | undefined;
}

export function openReportLinks(masterKey: Signer, publicUrl: string): ReportLinks {
  return {
    url: ({ reportScheduleId, personId }) => `${publicUrl}${reportLinkPath}${signedText(masterKey, purpose, [reportScheduleId, personId])}`,
    read: (token) => {
      const parts = content.safeParse(readSignedText(masterKey, purpose, token)).data;
      return parts && { reportScheduleId: parts[0], personId: parts[1] };
    },
  };
}
