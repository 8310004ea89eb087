/** Light or dark: stored in the browser, applied in every open tab. */
import { useSyncExternalStore } from 'react';

export type ThemeMode = 'light' | 'dark';

const key = 'cloudfit.theme';
const listeners = new Set<() => void>();

function current(): ThemeMode {
  return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light';
}

function show(mode: ThemeMode) {
  document.documentElement.dataset['theme'] = mode;
  for (const listener of listeners) listener();
}

window.addEventListener('storage', (event) => {
  if (event.key === key && (event.newValue === 'light' || event.newValue === 'dark')) show(event.newValue);
});

export function setMode(mode: ThemeMode) {
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

export function useMode(): ThemeMode {
  return useSyncExternalStore(subscribe, current);
}
