/**
 * The display names and photos of people by their sign-in names: one lookup for all screens. The names that a screen shows are
 * fetched in one request and cached; a cached name older than `freshMs` stays visible while it is fetched again.
 */
import { useSyncExternalStore } from 'react';
import { maxNames } from '@cloudfit/contract/people-names.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { namesOfPeople } from '@cloudfit/contract/calls.ts';
import { call } from './call.ts';
import { usePhoto } from './photos.ts';

const freshMs = 5 * 60_000;

interface KnownName {
  /** Undefined until the first answer; the sign-in name of somebody whom the directory does not have. */
  name: string | undefined;
  isPerson: boolean;
  /** The address of the photo; null: none. */
  photo: string | null;
  askedMs: number;
}

const entries = new Map<string, KnownName>();
const listeners = new Set<() => void>();
let waitingNames = new Set<string>();
let reads: Promise<unknown> = Promise.resolve();

function announce() {
  nameOf = (userName) => shownName(userName);
  for (const listener of listeners) listener();
}

async function fetchNames(userNames: readonly string[]) {
  let people: CallOutput<typeof namesOfPeople>['value'] | undefined;
  try {
    people = (await call(namesOfPeople, { userNames: [...userNames] }, { quiet: true, together: true })).value;
  } catch {
    // After a failed request, sign-in names are shown; names from an earlier answer stay.
  }
  const directory = new Map(people?.map((person) => [person.userName.toLowerCase(), person]));
  for (const userName of userNames) {
    const key = userName.toLowerCase();
    const before = entries.get(key);
    const { name, photo } = directory.get(key) ?? (people ? undefined : before) ?? {};
    const isKnown = people ? directory.has(key) : (before?.isPerson ?? false);
    entries.set(key, { name: name ?? userName, isPerson: isKnown, photo: photo ?? null, askedMs: Date.now() });
  }
  announce();
}

function fetchWaiting() {
  const all = [...waitingNames];
  waitingNames = new Set();
  for (let from = 0; from < all.length; from += maxNames) reads = Promise.all([reads, fetchNames(all.slice(from, from + maxNames))]);
}

/** Resolves when all requested names have arrived. */
export async function namesArrived(): Promise<void> {
  fetchWaiting();
  await reads;
}

function look(userName: string): KnownName | undefined {
  const key = userName.toLowerCase();
  const entry = entries.get(key);
  if (entry && Date.now() - entry.askedMs < freshMs) return entry;
  entries.set(key, { name: entry?.name, isPerson: entry?.isPerson ?? false, photo: entry?.photo ?? null, askedMs: Date.now() });
  if (waitingNames.size === 0) setTimeout(fetchWaiting);
  waitingNames.add(userName);
  return entry;
}

/**
 * The display name; empty while it is looked up for the first time. Components use `usePersonName`, which renders again when it
 * arrives.
 */
export function personName(userName: string | null | undefined): string {
  const text = userName?.trim();
  return text ? (look(text)?.name ?? '') : '';
}

/** A sentence without its subject would be wrong, so a sign stands for a name that is on its way. */
const shownName: typeof personName = (userName) => personName(userName) || (userName?.trim() ? '…' : '');

let nameOf = shownName;

/** Whether the directory has a person with this sign-in name, not a rule, a token or the system; false until looked up. */
export function isPerson(userName: string): boolean {
  return look(userName.trim())?.isPerson ?? false;
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** `personName` for a component, `…` while it is looked up. It is a new function whenever names arrive, so that the component renders again. */
export function usePersonName(): typeof personName {
  return useSyncExternalStore(subscribe, () => nameOf);
}

/** The photo of a person as the address of an image; undefined without one, and until it has loaded. */
export function usePersonPhoto(userName: string | null | undefined): string | undefined {
  usePersonName();
  const text = userName?.trim();
  return usePhoto(text ? look(text)?.photo : null);
}

/** Marks the cached name and photo of a person as outdated, so that the next render fetches both. */
export function renewPerson(userName: string): void {
  const key = userName.trim().toLowerCase();
  const entry = entries.get(key);
  if (!entry) return;
  entries.set(key, { ...entry, askedMs: 0 });
  announce();
}
