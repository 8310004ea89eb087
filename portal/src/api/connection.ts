/** Whether the server answers: what the calls of this page experience, and a question of its own when one of them is in doubt. */
import { useSyncExternalStore } from 'react';
import { storedToken } from './session.ts';

/** How long the question may take, and the pause between two while the server does not answer. */
const probeMs = 5_000;
const againMs = 5_000;
/** The pause before the next question while the server answers though the browser sees no network. */
const doubtMs = 10_000;
/** After this time without an answer to a call, this module asks. */
export const slowMs = 8_000;

export interface Connection {
  isLost: boolean;
  /** The time of the last answer. */
  answeredAt: number | undefined;
  /** Whether it is being tried at the moment. */
  isTrying: boolean;
}

let state: Connection = { isLost: false, answeredAt: undefined, isTrying: false };
let timer: ReturnType<typeof setTimeout> | undefined;
/** Whether the browser has lost its network since the question began, so that its answer says nothing about now. */
let isOutdated = false;
const listeners = new Set<() => void>();

function change(next: Partial<Connection>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

/** Whether the status is an answer of the server, and not that of a proxy or a server without its database. */
export const isAnswer = (status: number): boolean => status > 0 && (status < 502 || status > 504);

function answered(): void {
  if (state.isLost) {
    clearTimeout(timer);
    change({ isLost: false, answeredAt: Date.now() });
  } else state.answeredAt = Date.now();
}

/** The server has answered a call. */
export function noteAnswer(): void {
  // Without a network, the answer may have been under way before. A browser also says so where it reaches a server on its own machine.
  if (state.isLost && !navigator.onLine) {
    state.answeredAt = Date.now();
    void tryConnection();
  } else answered();
}

async function hasAnswer(): Promise<boolean> {
  const token = storedToken();
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  try {
    const { status } = await fetch('/v1/currentUser', { headers, cache: 'no-store', signal: AbortSignal.timeout(probeMs) });
    return isAnswer(status);
  } catch {
    return false;
  }
}

/** Asks the server now. */
export async function tryConnection(): Promise<void> {
  if (state.isTrying) return;
  clearTimeout(timer);
  change({ isTrying: true });
  let isThere: boolean;
  do {
    isOutdated = false;
    isThere = await hasAnswer();
  } while (isOutdated);
  change({ isTrying: false, ...(isThere ? {} : { isLost: true }) });
  if (isThere) answered();
  // The answer may have been the last one of a network that ends; without live changes, nothing else would ask for long.
  if (!isThere || !navigator.onLine) timer = setTimeout(() => void tryConnection(), isThere ? doubtMs : againMs);
}

/** Resolves when the server answers: to whether it has not done so meanwhile. */
export function untilAnswered(): Promise<boolean> {
  void tryConnection();
  return new Promise((resolve) => {
    let wasLost = false;
    const look = () => {
      wasLost ||= state.isLost;
      if (state.isTrying || state.isLost) return;
      listeners.delete(look);
      resolve(wasLost);
    };
    listeners.add(look);
    look();
  });
}

/** A call has no answer, or has waited long for one. */
export function noteSilence(): void {
  // A hidden page is not looked at; its calls are made again when it is.
  if (!state.isLost && !document.hidden) void tryConnection();
}

window.addEventListener('offline', () => {
  isOutdated = true;
  noteSilence();
});
window.addEventListener('online', () => (state.isLost ? void tryConnection() : undefined));

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => state);
}
