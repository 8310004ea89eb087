/** Parses JSON without properties that would change an object's prototype when it is copied. */
const poison = /"(?:__proto__|constructor)"\s*:/;

/** The text has a property that must not be stored. */
export class PoisonedJson extends Error {
  override name = 'PoisonedJson';
}

/** Parses a text; throws `PoisonedJson` or, when it is not JSON, a SyntaxError. */
export function parseSafely(text: string): unknown {
  if (poison.test(text)) throw new PoisonedJson();
  let isPoisoned = false;
  // Escapes may hide a name; names are unescaped only when the text has escapes, because it costs time.
  const look = (name: string, value: unknown): unknown => {
    isPoisoned ||= name === '__proto__' || name === 'constructor';
    return value;
  };
  const value: unknown = JSON.parse(text, text.includes(String.raw`\u`) ? look : undefined);
  if (isPoisoned) throw new PoisonedJson();
  return value;
}
