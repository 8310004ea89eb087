/** What counts of a phone number when two are compared. */

/** Fewer digits are the number of half a town. */
export const minPhoneDigits = 6;

/** The digits of a phone number, without what people write between them. */
export const digitsOf = (phone: string): string => phone.replaceAll(/\D/g, '');
