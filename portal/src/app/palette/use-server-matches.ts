/** Matches of the server for the palette: work units and articles by the search of their lists, devices and people by that of theirs. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { devices as deviceResource } from '@cloudfit/contract/resources/devices.ts';
import { knowledgeArticles } from '@cloudfit/contract/resources/knowledge-articles.ts';
import { people as peopleResource } from '@cloudfit/contract/resources/people.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { and, compare, eq, searchFilter, searchOrder } from '@cloudfit/contract/query/build.ts';
import { useMay } from '../../api/lookups.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { fetchPage } from '../../rows/use-rows.ts';

/** The delay between the last key and the search. */
const debounceMs = 250;
const minLetters = 2;
const maxRows = 5;

/** Units by their number or by the words of the text, the best first. */
function unitQuery(typed: string) {
  const number = /^#?(\d{1,15})$/.exec(typed)?.[1];
  const best = number ? undefined : searchOrder(workUnits, typed);
  return {
    filter: number ? eq(workUnits, 'publicWorkUnitId', Number(number)) : searchFilter(workUnits, typed),
    orderBy: [...(best === undefined ? [] : [best as 'workUnitId desc']), 'workUnitId desc'] as const,
    top: maxRows,
  };
}

/** Articles by the words of the text, the best first; retired ones are not offered. */
function articleQuery(typed: string) {
  const best = searchOrder(knowledgeArticles, typed);
  return {
    filter: and(searchFilter(knowledgeArticles, typed), compare(knowledgeArticles, 'state', 'ne', 'Retired')),
    select: ['knowledgeArticleId', 'title', 'tenantId'],
    orderBy: [...(best === undefined ? [] : [best as 'title desc']), 'title'],
    top: maxRows,
  } as const;
}

export function useServerMatches(text: string) {
  const may = useMay();
  const typed = useDebounced(text.trim(), debounceMs);
  const isNumber = /^#?\d+$/.test(typed);
  const asks = isNumber || typed.length >= minLetters;
  const options = { placeholderData: keepPreviousData, meta: { live: false } };
  const units = useQuery({
    queryKey: ['workUnits', 'palette', typed],
    queryFn: ({ signal }) => fetchPage(workUnits, unitQuery(typed), signal),
    enabled: asks && may('WorkUnits', 'view'),
    ...options,
  });
  const devices = useQuery({
    queryKey: ['devices', 'palette', typed],
    queryFn: ({ signal }) =>
      fetchPage(deviceResource, { filter: searchFilter(deviceResource, typed), orderBy: 'name', top: maxRows }, signal),
    enabled: asks && !isNumber && may('Devices', 'view'),
    ...options,
  });
  const people = useQuery({
    queryKey: ['people', 'palette', typed],
    queryFn: ({ signal }) =>
      fetchPage(peopleResource, { filter: searchFilter(peopleResource, typed), orderBy: 'name', top: maxRows }, signal),
    enabled: asks && !isNumber && may('People', 'view'),
    ...options,
  });
  const articles = useQuery({
    queryKey: ['knowledgeArticles', 'palette', typed],
    queryFn: ({ signal }) => fetchPage(knowledgeArticles, articleQuery(typed), signal),
    enabled: asks && !isNumber && may('WorkUnits', 'view'),
    ...options,
  });
  return {
    isNumber,
    units: asks ? (units.data?.rows ?? []) : [],
    devices: asks && !isNumber ? (devices.data?.rows ?? []) : [],
    people: asks && !isNumber ? (people.data?.rows ?? []) : [],
    articles: asks && !isNumber ? (articles.data?.rows ?? []) : [],
    isSearching: text.trim() !== typed || units.isFetching || devices.isFetching || people.isFetching || articles.isFetching,
  };
}
