/**
 * A text that the server stores, at most `max` characters of it: without NUL, which programs on Windows print, and without half of a
 * character, which a cut leaves. Either would make the server refuse the whole call.
 */
export const storable = (text: string, max = Infinity): string => text.replaceAll('\0', '').slice(0, max).toWellFormed();
