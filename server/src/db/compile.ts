/** Compiles a fragment to a statement, with a name when its text occurs often. */
import { createHash } from 'node:crypto';
import type { Statement } from './db.ts';
import { written, type RawBuilder } from './sql.ts';

/** A fragment of SQL with its values. */
export type Sql = RawBuilder<unknown>;

const names = new Map<string, string>();
const namedTexts = 400;
const times = new Map<string, number>();
const countedTexts = 2_000;

/**
 * Returns the name of a prepared statement for a text that occurs at least the third time. The number of names is
 * limited, because each prepared statement exists on every connection.
 */
function nameOf(text: string): string | undefined {
  const existing = names.get(text);
  if (existing !== undefined || names.size >= namedTexts) return existing;
  const count = (times.get(text) ?? 0) + 1;
  if (count < 3) {
    // When too many texts are counted, all counts start again; texts that have a name keep it.
    if (times.size >= countedTexts) times.clear();
    times.set(text, count);
    return undefined;
  }
  times.delete(text);
  const name = createHash('sha1').update(text).digest('base64url');
  names.set(text, name);
  return name;
}

/** Returns the statement with a name (prepared) when its text occurs at least the third time, while names are free. */
export function prepared(statement: Statement): Statement {
  const name = nameOf(statement.text);
  return name === undefined ? statement : { ...statement, name };
}

export function compile(fragment: Sql): Statement {
  return prepared(written(fragment));
}

/** Text of a fragment without values. */
export function compileText(fragment: Sql): string {
  const { text, values } = written(fragment);
  if (values.length > 0) throw new Error('A fragment that is kept as text has values.');
  return text;
}
