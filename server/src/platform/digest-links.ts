/** Links in digests of inboxes, by which their reader ends them at any time. */
import { z } from 'zod';
import { readSignedText, signedText, type Signer } from './signed-text.ts';

const purpose = 'digest-unsubscribe';
const content = z.tuple([z.uuid()]);

/** Where the links lead; the token follows. */
export const digestLinkPath = '/status/end-digests/';

export interface DigestLinks {
  url(personId: string): string;
  /** The person of a link; undefined when this installation did not sign the link. */
  read(token: string): string | undefined;
}

export function openDigestLinks(masterKey: Signer, publicUrl: string): DigestLinks {
  return {
    url: (personId) => `${publicUrl}${digestLinkPath}${signedText(masterKey, purpose, [personId])}`,
    read: (token) => content.safeParse(readSignedText(masterKey, purpose, token)).data?.[0],
  };
}
