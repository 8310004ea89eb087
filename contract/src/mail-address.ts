/** What counts as one mail address: a name of one word as the host, too, because the product sends pages to such addresses. */
import { z } from 'zod/mini';

export const mailAddress = /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/;
export const maxMailAddress = 320;

export const mailAddressSchema = (message: string) =>
  z.string({ error: message }).check(z.regex(mailAddress, message), z.maxLength(maxMailAddress, message));
