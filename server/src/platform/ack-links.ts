/** Links that acknowledge one work unit: signed, limited in time, valid for nothing else, and accepted by all servers. */
import { z } from 'zod';
import { readSignedText, signedText, type Signer } from './signed-text.ts';

const purpose = 'acknowledge';
const validSeconds = 3 * 86_400;
/** The expiry is rounded up to a full hour, so that a page shows the same link for a unit for up to an hour. */
const roundSeconds = 3_600;

/** The content of a link. */
export interface AckTarget {
  workUnitId: number;
  tenantId: string;
  /** The address to which the link was mailed, or `personRecipient`; null when several people may have got the link. */
  recipient: string | null;
}

export interface AckLinks {
  url(target: AckTarget): string;
  /** The target of a link; undefined when this installation did not sign the link. */
  read(token: string): (AckTarget & { isExpired: boolean }) | undefined;
}

const content = z.tuple([z.int().positive(), z.uuid(), z.int(), z.nullable(z.string())]);

export function openAckLinks(masterKey: Signer, publicUrl: string, now = () => Date.now()): AckLinks {
  return {
    url: ({ workUnitId, tenantId, recipient }) => {
      const ends = Math.ceil((now() / 1_000 + validSeconds) / roundSeconds) * roundSeconds;
      return `${publicUrl}/ack/${signedText(masterKey, purpose, [workUnitId, tenantId, ends, recipient])}`;
    },
    read: (token) => {
      const parts = content.safeParse(readSignedText(masterKey, purpose, token)).data;
      if (!parts) return undefined;
      const [workUnitId, tenantId, ends, recipient] = parts;
      return { workUnitId, tenantId, recipient, isExpired: now() / 1_000 > ends };
    },
  };
}

const link = /(\/|%2F)ack(\/|%2F)[\w-]+\.[\w-]+/gi;

/** Masks the links in a text before it is stored, because a person who may read the record must not be able to acknowledge. */
export function withoutAckLinks(text: string): string {
  return text.replaceAll(link, '$1ack$2***');
}

/** The address in a recipient line, if it names exactly one person. */
export function onlyRecipient(to: string): string | null {
  const address = /^(?:[^<>,;]*<)?([^\s@<>,;]+@[^\s@<>,;]+)>?$/.exec(to.trim())?.[1];
  return address?.toLowerCase() ?? null;
}

const personPrefix = 'person:';

/** The recipient of a link that was sent to a browser or phone of a person. */
export const personRecipient = (personId: string): string => `${personPrefix}${personId}`;

/** The person of `personRecipient`; undefined for a mail address. */
export const personOf = (recipient: string): string | undefined =>
  recipient.startsWith(personPrefix) ? recipient.slice(personPrefix.length) : undefined;
