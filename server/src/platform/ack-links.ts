/** Links in messages that acknowledge one work unit: signed, limited in time, and valid for nothing else. All servers accept them. */
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** Signs for one purpose, the same on every server; the first signature is the current one. */
interface Signer {
  signatures(text: string, purpose: string): readonly string[];
}

const purpose = 'acknowledge';
const validSeconds = 3 * 86_400;
/** The expiry is rounded to an hour, so that a page shows the same link for a unit each time. */
const roundSeconds = 3_600;

/** The content of a link. */
export interface AckTarget {
  workUnitId: number;
  tenantId: string;
  /** The address that it was mailed to; null when several people may have got it. */
  recipient: string | null;
}

export interface AckLinks {
  url(target: AckTarget): string;
  /** Undefined for a link that was not signed here. */
  read(token: string): (AckTarget & { isExpired: boolean }) | undefined;
}

const content = z.tuple([z.int().positive(), z.uuid(), z.int(), z.nullable(z.string())]);

function contentOf(text: string): z.infer<typeof content> | undefined {
  try {
    return content.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}

export function openAckLinks(masterKey: Signer, publicUrl: string, now = () => Date.now()): AckLinks {
  return {
    url: ({ workUnitId, tenantId, recipient }) => {
      const ends = Math.ceil((now() / 1_000 + validSeconds) / roundSeconds) * roundSeconds;
      const text = Buffer.from(JSON.stringify([workUnitId, tenantId, ends, recipient])).toString('base64url');
      return `${publicUrl}/ack/${text}.${masterKey.signatures(text, purpose)[0]}`;
    },
    read: (token) => {
      const [text = '', signature = ''] = token.split('.');
      const received = Buffer.from(signature);
      const isSigned = masterKey.signatures(text, purpose).some((one) => {
        const valid = Buffer.from(one);
        return valid.length === received.length && timingSafeEqual(valid, received);
      });
      const parts = isSigned ? contentOf(text) : undefined;
      if (!parts) return undefined;
      const [workUnitId, tenantId, ends, recipient] = parts;
      return { workUnitId, tenantId, recipient, isExpired: now() / 1_000 > ends };
    },
  };
}

const link = /(\/|%2F)ack(\/|%2F)[\w-]+\.[\w-]+/gi;

/** Removes links from a text before it is stored, because a person who may read the record must not be able to acknowledge. */
export function withoutAckLinks(text: string): string {
  return text.replaceAll(link, '$1ack$2***');
}

/** The address in a recipient line, if it names exactly one person. */
export function onlyRecipient(to: string): string | null {
  const address = /^(?:[^<>,;]*<)?([^\s@<>,;]+@[^\s@<>,;]+)>?$/.exec(to.trim())?.[1];
  return address?.toLowerCase() ?? null;
}
