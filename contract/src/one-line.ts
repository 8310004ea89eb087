/** The form in which texts are stored, and what they may hold: nothing that a reader cannot see or that changes what follows. */

// What no text holds, what a text of one line does not hold either, and what changes the direction of all that follows.
const controls = String.raw`\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f`;
const never = String.raw`${controls}\u202d\u202e\p{Cs}`;
const refused = String.raw`\0-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\p{Cs}`;
const runs = new RegExp(`[${refused}]+`, 'gu');
const unreadable = new RegExp(`[${never}]`, 'gu');

/** Matches a text without what one line must not hold. */
export const oneLinePattern = new RegExp(`^[^${refused}]*$`, 'u');

/** Matches a text without what texts of several lines must not hold. */
export const linesPattern = new RegExp(`^[^${never}]*$`, 'u');

/** Returns a text as it is stored: composed (NFC), without blanks at its ends. Texts that look the same are then the same. */
export function normalText(text: string): string {
  return text.normalize('NFC').trim();
}

const names: readonly (readonly [RegExp, string])[] = [
  [/[\n\r\u0085\u2028\u2029]/u, 'a line break'],
  [/\t/u, 'a tab'],
  [/\p{Cs}/u, 'half of a character'],
  [/[\u202a-\u202e\u2066-\u2069]/u, 'a character that turns the direction of the text'],
];

const codeOf = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Says what a text holds that `pattern` refuses, and where: `a tab (U+0009) at character 4`. */
export function refusedIn(text: string, pattern: RegExp): string {
  const chars = Array.from(text);
  const at = chars.findIndex((char) => !pattern.test(char));
  const char = chars[at] ?? '';
  const name = names.find(([these]) => these.test(char))?.[1] ?? 'a control character';
  return `${name} (${codeOf(char)}) at character ${at + 1}`;
}

/** Returns a text that a machine wrote as one line: each run of what it must not hold becomes a space; empty if nothing can be seen. */
export function oneLine(text: string): string {
  const line = normalText(text.replaceAll(runs, ' '));
  return isInvisible(line) ? '' : line;
}

/**
 * Returns the first characters of a text that a machine wrote. What was cut in two, arrived as a half, or cannot be shown is
 * replaced: a field and JSON refuse it.
 */
export function startOf(text: string, length: number | undefined): string {
  return text.slice(0, length).replaceAll(unreadable, '\uFFFD');
}

// With the blank of Braille, fillers, and selectors of variations.
const unseen = /[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Returns how many characters of a text can be seen: spaces, joiners and fillers are none. */
export function seenLength(text: string): number {
  return text.replaceAll(unseen, '').length;
}

/** Whether a text has characters, and none of them can be seen. */
export function isInvisible(text: string): boolean {
  return text !== '' && seenLength(text) === 0;
}

/** Says of a text of invisible characters what it has: `only characters that cannot be seen (U+200B)`. */
export function invisibleIn(text: string): string {
  return `only characters that cannot be seen (${codeOf(text)})`;
}

/** The text, or its beginning with an ellipsis, in at most `max` characters. Cuts no character in half. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).replace(/\p{Surrogate}$/u, '')}…` : text;
}
