/** Short messages at the bottom right. `toast.success(...)` works everywhere; one region of the page shows them. */
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { place } from './overlay/toast-place.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import './toasts.css';

export type ToastSeverity = 'success' | 'error' | 'warning' | 'info';

export interface ToastOptions {
  durationMs?: number;
  /** With `href` the action is a link that can be opened in a new tab; a plain click on it calls `run`. */
  action?: { label: string; run: () => void; href?: string };
}

interface Toast extends ToastOptions {
  id: number;
  severity: ToastSeverity;
  text: ReactNode;
}

/** How long a toast stays by default (SHELL-058). */
export const toastMs = 6_000;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

function show(severity: ToastSeverity) {
  return (text: ReactNode, options: ToastOptions = {}) => {
    // A message with the same text replaces the earlier one, and its time starts again.
    const others = toasts.filter((t) => t.text !== text || typeof text !== 'string');
    lastId += 1;
    change([...others, { id: lastId, severity, text, ...options }].slice(-4));
  };
}

export const toast = { success: show('success'), error: show('error'), warning: show('warning'), info: show('info') };

export function closeToast(id: number) {
  change(toasts.filter((t) => t.id !== id));
}

const icons: Record<ToastSeverity, IconName> = { success: 'check', error: 'warning', warning: 'warning', info: 'info' };

function ToastAction({ action, onDone }: { action: NonNullable<ToastOptions['action']>; onDone: () => void }) {
  const run = () => {
    action.run();
    onDone();
  };
  if (action.href === undefined)
    return (
      <button type="button" className="link" onClick={run}>
        {action.label}
      </button>
    );
  return (
    <a
      className="link"
      href={action.href}
      onClick={(event) => {
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        run();
      }}
    >
      {action.label}
    </a>
  );
}

function ToastItem({ item }: { item: Toast }) {
  const [isPaused, setPaused] = useState(false);
  /** The element that had the focus before the message; it gets the focus back when the message closes. */
  const before = useRef<EventTarget>(null);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const message = element.current;
    return () => {
      if (message?.contains(document.activeElement) && before.current instanceof HTMLElement && before.current.isConnected)
        before.current.focus();
    };
  }, []);
  useEffect(() => {
    if (isPaused) return;
    const timer = setTimeout(() => closeToast(item.id), item.durationMs ?? toastMs);
    return () => clearTimeout(timer);
  }, [isPaused, item]);
  return (
    <div
      ref={element}
      className={`toast ${item.severity}`}
      role={item.severity === 'error' ? 'alert' : 'status'}
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={({ currentTarget, relatedTarget }) => {
        setPaused(true);
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) before.current = relatedTarget;
      }}
      onBlur={() => setPaused(false)}
    >
      <Icon name={icons[item.severity]} />
      <div className="grow">{item.text}</div>
      {item.action && <ToastAction action={item.action} onDone={() => closeToast(item.id)} />}
      <IconButton icon="close" label={en.common.close} small onClick={() => closeToast(item.id)} />
    </div>
  );
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** How often toasts move away from what they would cover. */
const followMs = 200;

/** The key that focuses the newest message: its action, otherwise its close button. */
export const toastKey = 'F8';

export function Toasts() {
  const items = useSyncExternalStore(subscribe, () => toasts);
  const region = useRef<HTMLElement>(null);
  // Before the toasts are painted: their keys work as soon as they are there.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const inside = event.target instanceof Element && region.current?.contains(event.target) && event.target.closest('.toast');
      if (event.key === 'Escape' && inside) {
        event.preventDefault();
        inside.querySelector<HTMLElement>(':scope > button:last-of-type')?.click();
      }
      const newest = region.current?.lastElementChild?.querySelector<HTMLElement>('.link, button');
      if (event.key !== toastKey || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !newest) return;
      event.preventDefault();
      newest.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  // Again and again while one shows: boxes to write in grow, pages scroll, panels open and close.
  useLayoutEffect(() => {
    const { current } = region;
    if (!current || items.length === 0) return;
    place(current);
    const timer = setInterval(() => place(current), followMs);
    return () => clearInterval(timer);
  }, [items]);
  return (
    <section ref={region} className="toasts" aria-live="polite" aria-label={en.shell.notifications}>
      {items.map((item) => (
        <ToastItem key={item.id} item={item} />
      ))}
    </section>
  );
}
