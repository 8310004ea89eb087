/** Light or dark: kept in the browser, followed by every open tab. */
import { useSyncExternalStore } from 'react';

export type Mode = 'light' | 'dark';

const key = 'cloudfit.theme';
const listeners = new Set<() => void>();

function current(): Mode {
  return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light';
}

function show(mode: Mode) {
  document.documentElement.dataset['theme'] = mode;
  for (const listener of listeners) listener();
}

window.addEventListener('storage', (event) => {
  if (event.key === key && (event.newValue === 'light' || event.newValue === 'dark')) show(event.newValue);
});

export function setMode(mode: Mode) {
  localStorage.setItem(key, mode);
  show(mode);
}

export function toggleMode() {
  setMode(current() === 'dark' ? 'light' : 'dark');
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useMode(): Mode {
  return useSyncExternalStore(subscribe, current);
}
