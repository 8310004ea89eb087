/** Shows in the rows of the list where the search found them: marks in the title, and a part of the text. */
import { createContext, use, useMemo, type ReactNode } from 'react';
import { articlePlaces } from '@cloudfit/contract/calls.ts';
import { knowledgeArticles } from '@cloudfit/contract/resources/knowledge-articles.ts';
import { useCall } from '../../api/call.ts';
import { Marked } from '../../components/table/marked.tsx';
import type { ListState } from '../../filters/list-state.ts';

interface SearchResult {
  terms: readonly string[];
  places: ReadonlyMap<string, string>;
}

const nothing: SearchResult = { terms: [], places: new Map() };
const FoundContext = createContext(nothing);

interface FoundArticlesProps {
  state: Pick<ListState, 'search' | 'exact'>;
  rows: readonly { knowledgeArticleId: string }[];
  children: ReactNode;
}

export function FoundArticles({ state: { search, exact }, rows, children }: FoundArticlesProps) {
  const text = search.trim();
  const isSearch = text !== '' && !exact;
  const { data } = useCall(
    articlePlaces,
    { text, knowledgeArticleIds: rows.map((row) => row.knowledgeArticleId).slice(0, 100) },
    { enabled: isSearch && rows.length > 0, refreshedBy: knowledgeArticles.name },
  );
  const result = useMemo(
    (): SearchResult =>
      data && isSearch
        ? { terms: data.terms, places: new Map(data.places.map((place) => [place.knowledgeArticleId, place.text])) }
        : nothing,
    [data, isSearch],
  );
  return <FoundContext value={result}>{children}</FoundContext>;
}

export function FoundTitle({ title }: { title: string }) {
  return <Marked text={title} terms={use(FoundContext).terms} />;
}

export function FoundPlace({ id }: { id: string }) {
  const { terms, places } = use(FoundContext);
  const text = places.get(id);
  return text === undefined ? null : (
    <small className="found-place ellipsis">
      <Marked text={text} terms={terms} />
    </small>
  );
}
