/** Links in mails to contacts of a tenant, by which they end the mails at any time. */
import { z } from 'zod';
import { readSignedText, signedText, type Signer } from './signed-text.ts';

const purpose = 'contact-unsubscribe';
const content = z.tuple([z.uuid(), z.uuid()]);

/** Where the links lead; the token follows. */
export const contactLinkPath = '/status/end-mails/';

interface LinkedContact {
  tenantId: string;
  communicationContactId: string;
}

export interface ContactLinks {
  url(contact: LinkedContact): string;
  /** The contact of a link; undefined when this installation did not sign the link. */
  read(token: string): LinkedContact | undefined;
}

export function openContactLinks(masterKey: Signer, publicUrl: string): ContactLinks {
  return {
    url: ({ tenantId, communicationContactId }) =>
      `${publicUrl}${contactLinkPath}${signedText(masterKey, purpose, [tenantId, communicationContactId])}`,
    read: (token) => {
      const parts = content.safeParse(readSignedText(masterKey, purpose, token)).data;
      return parts && { tenantId: parts[0], communicationContactId: parts[1] };
    },
  };
}
