/** Links of feeds that people made. */
import { z } from 'zod';
import { readSignedText, signedText, type Signer } from '../signed-text.ts';

const purpose = 'person-feed';
const content = z.tuple([z.uuid(), z.uuid()]);

export interface FeedPlace {
  feedId: string;
  tenantId: string;
}

export interface FeedLinks {
  url(place: FeedPlace): string;
  /** The place of a link; undefined when this installation did not sign the link. */
  read(token: string): FeedPlace | undefined;
}

export function openFeedLinks(signer: Signer, publicUrl: string): FeedLinks {
  return {
    url: ({ feedId, tenantId }) => `${publicUrl}/v1/feeds/${signedText(signer, purpose, [feedId, tenantId])}`,
    read: (token) => {
      const parts = content.safeParse(readSignedText(signer, purpose, token)).data;
      return parts && { feedId: parts[0], tenantId: parts[1] };
    },
  };
}
