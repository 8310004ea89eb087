/** Shows in the rows of the list where the search found them: marks in the title, and the text of another field or note. */
import { createContext, use, useMemo, type ReactNode } from 'react';
import { searchPlaces } from '@cloudfit/contract/calls.ts';
import { marksIn } from '@cloudfit/contract/query/search-form.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Field } from '@cloudfit/contract/resource.ts';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { useCall } from '../../api/call.ts';
import { Marked } from '../../components/table/marked.tsx';
import type { ListState } from '../../filters/list-state.ts';
import './found.css';

interface FoundPlaces {
  terms: readonly string[];
  places: ReadonlyMap<number, { field: string; text: string }>;
}

/** A longer text is searched, but its places are not looked up. */
const maxLength = 500;

const nothing: FoundPlaces = { terms: [], places: new Map() };
const FoundContext = createContext(nothing);

interface FoundPlacesProps {
  state: Pick<ListState, 'search' | 'exact'>;
  rows: readonly { workUnitId: number }[];
  children: ReactNode;
}

export function FoundPlaces({ state: { search, exact }, rows, children }: FoundPlacesProps) {
  const text = search.trim();
  const input = { text, workUnitIds: rows.map(({ workUnitId }) => workUnitId).slice(0, 100) };
  const { data } = useCall(searchPlaces, input, {
    enabled: text !== '' && text.length <= maxLength && !exact && rows.length > 0,
    refreshedBy: workUnits.name,
  });
  const result = useMemo(
    (): FoundPlaces =>
      data && text !== '' && !exact
        ? { terms: data.terms, places: new Map(data.places.map((place) => [place.workUnitId, place])) }
        : nothing,
    [data, text, exact],
  );
  return <FoundContext value={result}>{children}</FoundContext>;
}

export function FoundTitle({ title }: { title: string }) {
  return <Marked text={title} terms={use(FoundContext).terms} />;
}

const labelOf = (name: string): string => (workUnits.fields as Record<string, Field>)[name]?.label ?? t.foundInNote;

/** The place outside the title; nothing where the title has all of the search. */
export function FoundPlace({ unit }: { unit: { workUnitId: number; tenant?: { name: string } | null } }) {
  const { terms, places } = use(FoundContext);
  const place = places.get(unit.workUnitId);
  if (!place) return null;
  const tenant = unit.tenant?.name ?? '';
  const isTenant = place.field === 'related' && marksIn(tenant, terms).length > 0;
  const label = isTenant ? labelOf('tenantId') : place.field === 'related' ? t.foundInRelated : labelOf(place.field);
  const text = isTenant ? tenant : place.text;
  return (
    <small className="found-place ellipsis">
      {label}
      {text && (
        <>
          : <Marked text={text} terms={terms} />
        </>
      )}
    </small>
  );
}
