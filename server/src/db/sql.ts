/** Fragments of SQL: texts with values in between, which become parameters, and with other fragments. */

/** A fragment; `T` is the type of what it yields in a statement. */
export class RawBuilder<out T> {
  declare readonly yields: T;
  /** One more than `inserted`: the texts around them. */
  readonly texts: readonly string[];
  /** Fragments, and values that become parameters. */
  readonly inserted: readonly unknown[];

  constructor(texts: readonly string[], inserted: readonly unknown[]) {
    this.texts = texts;
    this.inserted = inserted;
  }
}

const raw = <T = unknown>(text: string): RawBuilder<T> => new RawBuilder([text], []);

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A name with its parts, such as `t.name` of a column. */
const dotted = <T = unknown>(name: string): RawBuilder<T> => raw(name.split('.').map(quoted).join('.'));

function literal<T extends string | number | bigint | boolean | null>(value: T): RawBuilder<T> {
  return raw(typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value));
}

function fragment<T = unknown>(texts: TemplateStringsArray, ...inserted: readonly unknown[]): RawBuilder<T> {
  return new RawBuilder(texts, inserted);
}

const comma = raw(', ');

function join<T = unknown>(parts: readonly unknown[], separator: RawBuilder<unknown> = comma): RawBuilder<T> {
  const inserted = parts.flatMap((part, i) => (i === 0 ? [part] : [separator, part]));
  return new RawBuilder(
    Array.from({ length: inserted.length + 1 }, () => ''),
    inserted,
  );
}

/** Makes fragments: sql`select ${sql.ref('t.name')} from ${sql.table('location')} t where t.location_id = ${id}`. */
export const sql = Object.assign(fragment, {
  /** One name, quoted whole. */
  id: <T = unknown>(name: string): RawBuilder<T> => raw(quoted(name)),
  /** A column, with its table or alias before a dot. */
  ref: dotted,
  table: dotted,
  /** A constant in the text of the statement. */
  lit: literal,
  /** A text that is SQL already; never one that comes from a caller. */
  raw,
  join,
});

/** Writes a fragment as a statement with numbered parameters. */
export function written(of: RawBuilder<unknown>): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  let text = '';
  const write = ({ texts, inserted }: RawBuilder<unknown>): void => {
    for (let i = 0; i < texts.length; i++) {
      text += texts[i];
      if (i >= inserted.length) continue;
      const value = inserted[i];
      if (value instanceof RawBuilder) write(value);
      else text += `$${values.push(value)}`;
    }
  };
  write(of);
  return { text, values };
}
