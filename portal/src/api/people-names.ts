/**
 * The display names of people by their sign-in names: one lookup for all screens. Names that a screen shows are fetched
 * together, shown at once from then on, and refreshed when they are old.
 */
import { useSyncExternalStore } from 'react';
import { maxNames } from '@cloudfit/contract/people-names.ts';
import { callJson } from './client.ts';

const freshMs = 5 * 60_000;

interface KnownName {
  /** Undefined until the first answer; the sign-in name of somebody whom the directory does not have. */
  name: string | undefined;
  isPerson: boolean;
  askedMs: number;
}

const entries = new Map<string, KnownName>();
const listeners = new Set<() => void>();
let waitingNames = new Set<string>();

function announce() {
  nameOf = (userName) => personName(userName);
  for (const listener of listeners) listener();
}

async function fetchNames(userNames: readonly string[]) {
  let people: readonly { userName: string; name: string }[] | undefined;
  try {
    people = (
      await callJson<{ value: { userName: string; name: string }[] }>('/v1/people/names', {
        method: 'POST',
        body: { userNames },
        quiet: true,
      })
    ).value;
  } catch {
    // Without an answer, sign-in names are shown, and names that were found before stay.
  }
  const names = new Map(people?.map((person) => [person.userName.toLowerCase(), person.name]));
  for (const userName of userNames) {
    const key = userName.toLowerCase();
    const before = entries.get(key);
    const name = names.get(key) ?? (people ? undefined : before?.name);
    entries.set(key, { name: name ?? userName, isPerson: people ? names.has(key) : (before?.isPerson ?? false), askedMs: Date.now() });
  }
  announce();
}

function fetchWaiting() {
  const all = [...waitingNames];
  waitingNames = new Set();
  for (let from = 0; from < all.length; from += maxNames) void fetchNames(all.slice(from, from + maxNames));
}

function look(userName: string): KnownName | undefined {
  const key = userName.toLowerCase();
  const entry = entries.get(key);
  if (entry && Date.now() - entry.askedMs < freshMs) return entry;
  entries.set(key, { name: entry?.name, isPerson: entry?.isPerson ?? false, askedMs: Date.now() });
  if (waitingNames.size === 0) setTimeout(fetchWaiting);
  waitingNames.add(userName);
  return entry;
}

/** The display name; empty while it is looked up for the first time. Components use `usePersonName`, which shows it then. */
export function personName(userName: string | null | undefined): string {
  const text = userName?.trim();
  return text ? (look(text)?.name ?? '') : '';
}

let nameOf = personName;

/** Whether the directory has a person with this sign-in name, rather than a rule, a token or the system. */
export function isPerson(userName: string): boolean {
  return look(userName.trim())?.isPerson ?? false;
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** `personName` for a component, which renders again when names arrive: the function is another one then. */
export function usePersonName(): typeof personName {
  return useSyncExternalStore(subscribe, () => nameOf);
}
