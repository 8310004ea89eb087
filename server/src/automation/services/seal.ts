/** Proves that a button or an address was made here, for this subscription: trackers and chats send it back as it is. */
import { createHmac } from 'node:crypto';

/** Makes seals by the secret of a subscription. */
export const sealFor =
  (secret: string) =>
  (text: string): string =>
    createHmac('sha256', secret).update(`button|${text}`).digest('base64url');
