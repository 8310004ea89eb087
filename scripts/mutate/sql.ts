/** Finds what can be mutated in a SQL statement inside a string. */

export function looksLikeSql(text: string): boolean {
  return /\b(?:select|insert into|update|delete from|where|order by|join|from)\b/.test(text) && / /.test(text);
}

// Not before `now()`: columns hold milliseconds, the clock microseconds, so both are never equal and `<` is the same as `<=`.
const changes: readonly [pattern: RegExp, text: string][] = [
  [/ < (?!(?:now|clock_timestamp)\(\))/g, ' <= '],
  [/ <= (?!(?:now|clock_timestamp)\(\))/g, ' < '],
  [/ > (?!(?:now|clock_timestamp)\(\))/g, ' >= '],
  [/ >= (?!(?:now|clock_timestamp)\(\))/g, ' > '],
  [/ <> /g, ' = '],
  [/(?<=\b(?:where|and|or|on|when) [\w."]+) = /g, ' <> '],
  [/(?<!between \S+) and /g, ' or '],
  [/ or (?!replace)/g, ' and '],
  [/ is not null\b/g, ' is null'],
  [/ is null\b/g, ' is not null'],
  [/ not exists\b/g, ' exists'],
  [/(?<! not) exists\b/g, ' not exists'],
  [/(?<=\b(?:where|and|or|when)) not (?!exists)/g, ' '],
  [/ not in\b/g, ' in'],
  [/ desc\b/g, ' asc'],
  [/ asc\b/g, ' desc'],
  [/ left join\b/g, ' join'],
];

/** Returns the possible mutations of a text, each with its position. */
export function findSqlChanges(text: string): { from: number; to: number; text: string }[] {
  return changes.flatMap(([pattern, replacement]) =>
    [...text.matchAll(pattern)].map((match) => ({ from: match.index, to: match.index + match[0].length, text: replacement })),
  );
}
