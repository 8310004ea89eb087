/**
 * Links in mails to visitors of status pages: one confirms an address and expires after a day, one ends the mails to an address
 * at any time.
 */
import { z } from 'zod';
import { languages, type Language } from '@cloudfit/contract/messages/language.ts';
import { mailAddressSchema } from '@cloudfit/contract/mail-address.ts';
import { readSignedText, signedText, type Signer } from '../../platform/signed-text.ts';

const validMs = 86_400_000;
// A link of an earlier version has no language.
const confirmContent = z.tuple([z.uuid(), mailAddressSchema('This is not a mail address.'), z.int(), z.enum(languages).default('en')]);
const endContent = z.tuple([z.uuid(), z.uuid()]);

export interface SubscriptionLinks {
  confirm(statusPageId: string, email: string, language: Language): string;
  readConfirm(token: string): { statusPageId: string; email: string; language: Language; isExpired: boolean } | undefined;
  unsubscribe(tenantId: string, statusSubscriberId: string): string;
  readUnsubscribe(token: string): { tenantId: string; statusSubscriberId: string } | undefined;
}

export function openSubscriptionLinks(masterKey: Signer, publicUrl: string, now = () => Date.now()): SubscriptionLinks {
  return {
    confirm: (statusPageId, email, language) =>
      `${publicUrl}/status/confirm/${signedText(masterKey, 'status-confirm', [statusPageId, email, now() + validMs, language])}`,
    readConfirm: (token) => {
      const parts = confirmContent.safeParse(readSignedText(masterKey, 'status-confirm', token)).data;
      return parts && { statusPageId: parts[0], email: parts[1], language: parts[3], isExpired: now() > parts[2] };
    },
    unsubscribe: (tenantId, id) => `${publicUrl}/status/unsubscribe/${signedText(masterKey, 'status-unsubscribe', [tenantId, id])}`,
    readUnsubscribe: (token) => {
      const parts = endContent.safeParse(readSignedText(masterKey, 'status-unsubscribe', token)).data;
      return parts && { tenantId: parts[0], statusSubscriberId: parts[1] };
    },
  };
}
