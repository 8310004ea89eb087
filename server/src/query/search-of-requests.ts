/** Asks the search of the requests of a customer, who has few: it reads their texts, and corrects mistyped words by these. */
import { sql } from '../db/sql.ts';
import type { Sql } from '../db/compile.ts';
import { allOf } from './filter.ts';
import type { SearchCall } from './search-of-units.ts';

/** How many of the latest requests correct a mistyped word. */
const maxTexts = 1_000;

/** The title, then the number and the other fields, then what the customer and the desk have written to each other. */
function textOf(t: string): Sql {
  const of = (name: string) => sql.ref(`${t}.${name}`);
  const number = of('public_work_unit_id');
  const fields = sql`concat_ws(E'\n', ${of('description')}, ${of('service')}, ${of('need')}, ${of('resolution')})`;
  const notes = sql`(select string_agg(n.detail, E'\n') from external_note n where n.work_unit_id = ${of('work_unit_id')})`;
  return sql`' ' || search_form(${of('title')}) || E' \n ' || search_form(${fields}) || ' #' || ${number} || ' ' || ${number} || E' \n ' || coalesce(search_form(${notes}) || ' ', '')`;
}

/** Whether the search finds a request by a typed text (`found`), or how well the request has it (`relevance`). It always finds all (`cut`). */
export function searchOfRequests({ scope: { table, visible }, t, fn, typed }: SearchCall): Sql {
  if (fn === 'cut') return sql`false`;
  const rows = sql`select ${textOf('own')} from ${sql.table(table)} as own where ${allOf(visible('own'))} order by own.work_unit_id desc limit ${sql.lit(maxTexts)}`;
  const terms = sql`(select terms_of_texts(${typed}, array(${rows})))`;
  return fn === 'relevance'
    ? sql`search_rank(${sql.ref(`${t}.public_work_unit_id`)}, ${textOf(t)}, ${terms})`
    : sql`has_terms(${textOf(t)}, ${terms})`;
}
