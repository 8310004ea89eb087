/** Parses JSON without properties that would change an object's prototype when it is copied. */

/** Returns a pattern of a text in JSON, each letter of which may be escaped. */
function written(text: string): string {
  const escaped = (letter: string): string =>
    letter
      .charCodeAt(0)
      .toString(16)
      .padStart(4, '0')
      .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  return text
    .split('')
    .map((letter) => `(?:${letter}|\\\\u${escaped(letter)})`)
    .join('');
}

/** Searched for in the text, because looking at each parsed property of a megabyte takes long. */
const poison = new RegExp(`"(?:${written('__proto__')}|${written('constructor')})"\\s*:`);

/** The text has a property that must not be stored. */
export class PoisonedJson extends Error {
  override name = 'PoisonedJson';
}

/** Parses a text; throws `PoisonedJson` or, when it is not JSON, a SyntaxError. */
export function parseSafely(text: string): unknown {
  if (poison.test(text)) throw new PoisonedJson();
  return JSON.parse(text);
}
