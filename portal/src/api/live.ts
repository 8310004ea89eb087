/** One stream of changes per page. It refreshes the queries in use, and reports when it is down so that they poll instead. */
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
  // Removes marks that are over; without this, a row would stay marked until something else changes.
  setTimeout(dropOldMarks, markMs + 50);
}

/** How pages refresh when entities change. The lists of an entity that is not mentioned here refresh at once. */
export interface LiveRules {
  /** The other entities whose queries show rows of an entity. `name:part` stands for the queries whose keys begin with both. */
  shownIn: Readonly<Record<string, readonly string[]>>;
  /** How many milliseconds later the lists of an entity may refresh. */
  debounceMs: Readonly<Record<string, number>>;
  /** Entities whose changes are not marked in lists. */
  unmarked: readonly string[];
  /** Entities that are read row by row. */
  byRow: readonly string[];
}

type QueryPredicate = NonNullable<InvalidateQueryFilters['predicate']>;

/**
 * Refetches the queries in use. A first load that is under way is repeated, because it may have read the rows before the
 * change.
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

/** Invalidates queries per entity, debounced, and only while the page is visible. */
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
    // The page refreshes its own changes itself, after each mutation.
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

/** Splits a text/event-stream into its events. */
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

/** Follows the stream until it is stopped; reconnects with backoff after the last event. */
export function startLive(client: QueryClient, rules: LiveRules): () => void {
  const stop = new AbortController();
  const invalidate = makeInvalidator(client, rules);
  let lastId: string | undefined;
  const follow = async () => {
    let wait = 1_000;
    while (!stop.signal.aborted) {
      try {
        const token = await accessToken();
        // Rows that were read before the first change arrives may have changed since the page began to load.
        // The clock of `performance` may stand still while the computer sleeps, and the other one may be set back.
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
        // Data whose changes the stream does not repeat.
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

/** Returns whether a row changed a moment ago. */
export function useMarks(entity: string): (id: string) => boolean {
  const marks = useSyncExternalStore(subscribe, () => changedAt);
  return (id) => Date.now() - (marks.get(`${entity}:${id}`) ?? 0) < markMs;
}
