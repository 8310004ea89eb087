/** Warnings about rows that were written: an annotation of each row, and a header for clients that prefer no body. */
import type { Ctx, Warning } from '../../context/ctx.ts';

/** The annotation of a row that was written. */
const warningsAnnotation = '@cloudfit.warnings';

/** At most this many warnings are sent in the header. */
const maxInHeader = 10;

/** The same caller, with an empty list of warnings. */
export function withWarnings(ctx: Ctx): Ctx & { warnings: Warning[] } {
  return { ...ctx, warnings: [] };
}

/** Returns the annotation of the row with this key; nothing when there is no warning about it. */
export function annotated(warnings: readonly Warning[], key: unknown): Record<string, readonly string[]> {
  const messages = warnings.filter((warning) => String(warning.key) === String(key)).map(({ message }) => message);
  return messages.length > 0 ? { [warningsAnnotation]: messages } : {};
}

/** Returns the header: a JSON array of texts, in which other characters than those of ASCII are escaped. */
export function warningsHeader(warnings: readonly Warning[]): Record<string, string> {
  if (warnings.length === 0) return {};
  const json = JSON.stringify(warnings.slice(0, maxInHeader).map(({ message }) => message));
  const escaped = json.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return { 'cloudfit-warnings': escaped };
}
