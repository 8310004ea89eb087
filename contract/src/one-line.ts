/** What a text of one line may hold: no line breaks, no control characters, nothing that changes the direction of what follows. */

const refused = String.raw`\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\p{Cs}`;
const runs = new RegExp(`[\\0${refused}]+`, 'gu');

/** Matches a text without what one line must not hold. NUL is left to the check of all texts. */
export const oneLinePattern = new RegExp(`^[^${refused}]*$`, 'u');

/** Returns a text that a machine wrote as one line: each run of what it must not hold becomes a space. */
export function oneLine(text: string): string {
  return text.replaceAll(runs, ' ').trim();
}

/** Returns the first characters of a text. What was cut in two, or arrived as a half, is replaced: a field and JSON refuse it. */
export function startOf(text: string, length: number | undefined): string {
  return text.slice(0, length).toWellFormed();
}

const unseen = /[\s\p{Cf}\u115f\u1160\u3164\uffa0]/gu;

/** Returns how many characters of a text can be seen: spaces, joiners and fillers are none. */
export function seenLength(text: string): number {
  return text.replaceAll(unseen, '').length;
}
