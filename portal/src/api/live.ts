/** Live changes refresh the active queries of a page; while they do not arrive, queries poll instead (`useLive`). */
import type { ChangeEvent } from '@cloudfit/contract/actions/live.ts';
import type { InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { followChanges } from './shared-stream.ts';

/** Identifies this page until it is reloaded. */
export const pageId = crypto.randomUUID();

const debounceMs = 250;
const markMs = 2_400;

let connected = false;
let changedAt: ReadonlyMap<string, number> = new Map();
const listeners = new Set<() => void>();

function announce() {
  for (const listener of listeners) listener();
}

function setConnected(value: boolean) {
  if (connected === value) return;
  connected = value;
  announce();
}

function dropOldMarks() {
  const now = Date.now();
  changedAt = new Map([...changedAt].filter(([, at]) => now - at < markMs));
  announce();
}

function mark(change: ChangeEvent) {
  changedAt = new Map([...changedAt, [`${change.entity}:${change.id}`, Date.now()]]);
  announce();
  // Removes expired marks; without this, a row would stay marked until another row changes.
  setTimeout(dropOldMarks, markMs + 50);
}

/** How pages refresh when entities change. The queries of an entity without a rule refresh after a default delay. */
export interface LiveRules {
  /** By entity: other queries that show its rows. `name:part` stands for the queries whose keys begin with `name`, `part`. */
  shownIn: Readonly<Record<string, readonly string[]>>;
  /** By entity: the delay in milliseconds before queries of the entity refresh. */
  debounceMs: Readonly<Record<string, number>>;
  /** Entities whose changes are not marked in lists. */
  unmarked: readonly string[];
  /** Entities with one query per row: a change of a row refreshes the queries of that row only. */
  byRow: readonly string[];
}

type QueryPredicate = NonNullable<InvalidateQueryFilters['predicate']>;

const isLive: QueryPredicate = ({ meta }) => meta?.['live'] !== false;

/** Returns a handler of changes. It refreshes queries per entity, debounced; while the page is hidden, once it is visible. */
export function makeInvalidator(client: QueryClient, rules: LiveRules) {
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();
  const overdue = new Set<string>();
  const run = (entity: string) => {
    waiting.delete(entity);
    if (document.hidden) {
      overdue.add(entity);
      return;
    }
    const [name, id] = entity.split(':');
    void client.invalidateQueries({
      predicate: (query) =>
        (name === '*' || (query.queryKey[0] === name && (id === undefined || query.queryKey[1] === id))) && isLive(query),
    });
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    for (const entity of overdue) run(entity);
    overdue.clear();
  });
  return (change: ChangeEvent) => {
    // After its own mutations, the page refreshes the queries itself.
    if (change.page === pageId) return;
    if (!rules.unmarked.includes(change.entity)) mark(change);
    const entity = rules.byRow.includes(change.entity) ? `${change.entity}:${change.id}` : change.entity;
    for (const shown of [entity, ...(rules.shownIn[change.entity] ?? [])]) {
      if (waiting.has(shown)) continue;
      waiting.set(
        shown,
        setTimeout(() => run(shown), rules.debounceMs[shown] ?? debounceMs),
      );
    }
  };
}

const followers = new Set<(change: ChangeEvent) => void>();

/** Calls `onChange` for each change, also for those of this page, until the returned function is called. */
export function followLive(onChange: (change: ChangeEvent) => void): () => void {
  followers.add(onChange);
  return () => followers.delete(onChange);
}

/** Follows the changes until the returned function is called. */
export function startLive(client: QueryClient, rules: LiveRules): () => void {
  const invalidate = makeInvalidator(client, rules);
  const onChange = (change: ChangeEvent) => {
    invalidate(change);
    for (const follower of followers) follower(change);
  };
  const onOpen = (isOpen: boolean) => {
    setConnected(isOpen);
    // The stream does not repeat the changes of these entities that were missed without a connection.
    if (isOpen) void client.invalidateQueries({ predicate: ({ queryKey }) => rules.byRow.includes(String(queryKey[0])) });
  };
  return followChanges({ page: pageId, onOpen, onChange });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether live changes arrive at the moment. */
export function useLive(): boolean {
  return useSyncExternalStore(subscribe, () => connected);
}

/** Returns a function that tells whether the row with an id changed a moment ago, within `markMs`. */
export function useMarks(entity: string): (id: string) => boolean {
  const marks = useSyncExternalStore(subscribe, () => changedAt);
  return (id) => Date.now() - (marks.get(`${entity}:${id}`) ?? 0) < markMs;
}
