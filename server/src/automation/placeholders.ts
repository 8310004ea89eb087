/**
 * Fills `{Name}` and `{Name|default}` in texts that an action sends, encoded for their place. A known name without a value gets
 * its default, or becomes empty and is collected. Unknown names stay in the text and are collected.
 */
import { limits } from '@cloudfit/contract/limits.ts';
import { isValueName, placeholderPattern } from '@cloudfit/contract/rules/placeholders.ts';

export type PlaceholderValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Fills several texts and collects unknown names. */
export interface Filler {
  url(template: string): string;
  header(template: string): string;
  json(template: string): string;
  form(template: string): string;
  text(template: string): string;
  readonly unknown: ReadonlySet<string>;
  /** The known names that had neither a value nor a default. */
  readonly empty: ReadonlySet<string>;
}

/** Thrown when a filled text would be unsafe or wrong at its place; the action fails. */
export class PlaceholderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PlaceholderError';
  }
}

const placeholders = new RegExp(placeholderPattern, 'g');
// oxlint-disable-next-line no-control-regex
const breaksHeader = /[\r\n\u0000]/;

/** Returns the offset at which scheme, host and port of an address end. */
function endOfAuthority(url: string): number {
  const start = url.indexOf('://');
  const end = url.slice(start + 3).search(/[/?#\\]/);
  return end < 0 ? url.length : start + 3 + end;
}

/** Returns a function that tells for increasing offsets whether each is inside a JSON string; it reads each character once. */
function stringWalk(template: string): (offset: number) => boolean {
  let inside = false;
  let at = 0;
  return (offset) => {
    for (; at < offset; at += 1) {
      if (inside && template[at] === '\\') at += 1;
      else if (template[at] === '"') inside = !inside;
    }
    return inside;
  };
}

/** A default that is a literal of JSON stays one outside of strings. */
const jsonLiteral = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

/**
 * Returns a filler. Names are case-sensitive. A placeholder inside a value is not filled. `ownNames`: the parameters of the
 * action, which are known too.
 */
export function newFiller(values: PlaceholderValues, ownNames: readonly string[] = []): Filler {
  const unknown = new Set<string>();
  const empty = new Set<string>();

  /** The text for a name without a value; undefined for an unknown name. */
  function instead(name: string, byDefault: string | undefined): string | undefined {
    if (!isValueName(name) && !ownNames.includes(name)) {
      unknown.add(name);
      return undefined;
    }
    if (byDefault === undefined) empty.add(name);
    return byDefault ?? '';
  }

  function fill(template: string, encode: (value: string | number | boolean, offset: number, isDefault: boolean) => string): string {
    let { length } = template;
    return template.replaceAll(placeholders, (whole, name: string, byDefault: string | undefined, offset: number) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      const isMissing = value === undefined || (byDefault !== undefined && (value === null || value === ''));
      const text = isMissing ? instead(name, byDefault) : (value ?? '');
      if (text === undefined) return whole;
      const filled = encode(text, offset, isMissing && byDefault !== undefined);
      length += filled.length;
      if (length > limits.filledLength) throw new PlaceholderError('Filled with its values, the text is longer than 1 MB.');
      return filled;
    });
  }

  return {
    unknown,
    empty,
    url(template) {
      const end = endOfAuthority(template);
      if (placeholderPattern.test(template.slice(0, end)))
        throw new PlaceholderError('A placeholder cannot stand in the scheme, host or port of an address.');
      return fill(template, (value) => {
        // A segment of dots would change the path.
        const text = encodeURIComponent(String(value));
        return /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%252E') : text;
      });
    },
    header: (template) =>
      fill(template, (value) => {
        if (breaksHeader.test(String(value))) throw new PlaceholderError('A value with a line break cannot stand in a header.');
        return String(value);
      }),
    json: (template) => {
      const inString = stringWalk(template);
      return fill(template, (value, offset, isDefault) => {
        if (inString(offset)) return JSON.stringify(String(value)).slice(1, -1);
        return isDefault && jsonLiteral.test(String(value)) ? String(value) : JSON.stringify(value);
      });
    },
    form: (template) => fill(template, (value) => encodeURIComponent(String(value))),
    text: (template) => fill(template, String),
  };
}
