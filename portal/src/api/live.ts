/** One stream of changes per page. It refreshes the active queries; while it is down, queries poll instead (`useLive`). */
import type { ChangeEvent } from '@cloudfit/contract/actions/live.ts';
import type { InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { accessToken } from './session.ts';

/** Identifies this page until it is reloaded. */
export const pageId = crypto.randomUUID();

const debounceMs = 250;
const markMs = 2_400;
const maxWaitMs = 30_000;

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

/**
 * Refetches the active queries that `predicate` selects. A query that is still loading for the first time is refetched after
 * that load, which may have read the rows before the change.
 */
function refresh(client: QueryClient, predicate: QueryPredicate): void {
  const early = client.getQueryCache().findAll({ predicate, type: 'active', fetchStatus: 'fetching' });
  for (const { queryKey, state, promise } of early) {
    const again = () => void client.invalidateQueries({ queryKey, exact: true });
    if (state.data === undefined) void promise?.then(again, () => undefined);
  }
  void client.invalidateQueries({ predicate });
}

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
    refresh(
      client,
      (query) => (name === '*' || (query.queryKey[0] === name && (id === undefined || query.queryKey[1] === id))) && isLive(query),
    );
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

/** Calls `onEvent` for each complete event of a text/event-stream; returns the rest of the buffer, an incomplete event. */
export function readEvents(buffer: string, onEvent: (id: string | undefined, data: string) => void): string {
  const blocks = buffer.split(/\r?\n\r?\n/);
  const rest = blocks.pop() ?? '';
  for (const block of blocks) {
    let id: string | undefined;
    const data: string[] = [];
    for (const line of block.split(/\r?\n/)) {
      if (line.startsWith('id:')) id = line.slice(3).trim();
      else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    }
    if (data.length > 0) onEvent(id, data.join('\n'));
    else if (id !== undefined) onEvent(id, '');
  }
  return rest;
}

/** Follows the stream until the returned function is called. Reconnects with backoff, and continues after the last event. */
export function startLive(client: QueryClient, rules: LiveRules): () => void {
  const stop = new AbortController();
  const invalidate = makeInvalidator(client, rules);
  let lastId: string | undefined;
  const follow = async () => {
    let wait = 1_000;
    while (!stop.signal.aborted) {
      try {
        const token = await accessToken();
        // Asks for all changes since the page began to load, because its rows may have been read before them.
        // Takes the larger age of two clocks: one may stand still while the computer sleeps, the other may be set back.
        const age = Math.ceil(Math.max(performance.now(), Date.now() - performance.timeOrigin) / 1_000);
        const answer = await fetch(lastId === undefined ? `/v1/changes?seconds=${age}` : '/v1/changes', {
          headers: {
            accept: 'text/event-stream',
            ...(token ? { authorization: `Bearer ${token}` } : {}),
            ...(lastId ? { 'last-event-id': lastId } : {}),
          },
          signal: stop.signal,
        });
        if (!answer.ok || !answer.body) throw new Error(`The change stream answered ${answer.status}.`);
        wait = 1_000;
        setConnected(true);
        // The stream does not repeat the changes of these entities that were missed without a connection.
        refresh(client, ({ queryKey }) => rules.byRow.includes(String(queryKey[0])));
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let buffer = '';
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          buffer = readEvents(buffer + value, (id, data) => {
            lastId = id ?? lastId;
            if (data) invalidate(JSON.parse(data) as ChangeEvent);
          });
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        console.debug('The change stream ended.', error);
      }
      setConnected(false);
      await new Promise((resolve) => {
        setTimeout(resolve, wait * (0.5 + Math.random()));
      });
      wait = Math.min(maxWaitMs, wait * 2);
    }
  };
  void follow();
  return () => {
    stop.abort();
    setConnected(false);
  };
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
