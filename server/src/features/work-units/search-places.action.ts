/** Finds the places of a search in work units, for lists that show why they have a row. */
import { searchPlaces } from '@cloudfit/contract/actions/work-units/search.ts';
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { excerpt, marksIn } from '@cloudfit/contract/query/search-form.ts';
import type { Field, FieldName } from '@cloudfit/contract/resource.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { list } from '../../resources/list.ts';
import { viewScope } from '../../resources/scope.ts';
import { servedWorkUnitNotes, servedWorkUnits } from './work-units.served.ts';

const searched = Object.entries<Field>(workUnits.fields).flatMap(([name, field]) =>
  field.search && field.kind === 'text' && name !== 'title' ? [name as FieldName<typeof workUnits>] : [],
);

/** Notes that are looked at, the newest first. */
const maxNotes = 1_000;

async function termsOf(ctx: Ctx, text: string): Promise<string[]> {
  const scope = viewScope(ctx, servedWorkUnits);
  const tenants = scope === 'all' ? ctx.tenants : scope;
  const [row] =
    tenants === 'all'
      ? await ctx.db.query<{ terms: string[] }>({ text: 'select search_terms_of($1, null) as terms', values: [text] })
      : await ctx.db.query<{ terms: string[] }>({ text: 'select search_terms_in($1, $2::uuid[]) as terms', values: [text, tenants] });
  return row?.terms ?? [];
}

/** The text that has most of the terms; undefined when none has any. */
function bestOf(texts: readonly { field: string; text: string }[], terms: readonly string[]) {
  let best: { field: string; text: string } | undefined;
  let max = 0;
  for (const one of texts) {
    const had = terms.filter((term) => marksIn(one.text, [term]).length > 0).length;
    if (had > max) [best, max] = [one, had];
  }
  return best && { field: best.field, text: excerpt(best.text, terms) };
}

const places = implement(searchPlaces, async (ctx, { text, workUnitIds }) => {
  const terms = await termsOf(ctx, text);
  if (terms.length === 0 || workUnitIds.length === 0) return { terms, places: [] };
  const { value: units } = await list(
    ctx,
    servedWorkUnits,
    queryText({ filter: oneOf(workUnits, 'workUnitId', workUnitIds), orderBy: 'workUnitId asc', top: workUnitIds.length }),
    { select: ['workUnitId', 'publicWorkUnitId', 'title', ...searched] },
  );
  const incomplete = units.flatMap((unit) => {
    const missing = terms.filter(
      (term) => marksIn(unit.title, [term]).length === 0 && term.replace(/^[# ]/, '') !== String(unit.publicWorkUnitId),
    );
    return missing.length > 0 ? [{ unit, missing }] : [];
  });
  if (incomplete.length === 0) return { terms, places: [] };
  const ids = incomplete.map(({ unit }) => unit.workUnitId);
  const filter = and(oneOf(workUnitNotes, 'workUnitId', ids), eq(workUnitNotes, 'historyType', null));
  const { value: notes } = await list(ctx, servedWorkUnitNotes, queryText({ filter, orderBy: 'created desc', top: maxNotes }), {
    select: ['workUnitId', 'detail'],
  });
  return {
    terms,
    places: incomplete.map(({ unit, missing }) => {
      const texts = searched.map((field) => ({ field, text: String(unit[field] ?? '') }));
      const noted = notes.filter(({ workUnitId }) => workUnitId === unit.workUnitId).map(({ detail }) => ({ field: 'note', text: detail }));
      return { workUnitId: unit.workUnitId, ...(bestOf([...texts, ...noted], missing) ?? { field: 'related', text: '' }) };
    }),
  };
});

export const searchPlacesActions: readonly ImplementedAction[] = [places];
