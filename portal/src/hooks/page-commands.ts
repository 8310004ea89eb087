/**
 * What a person can do with what the page shows or has selected now. A screen offers its commands; the shell runs them by their keys,
 * and the palette lists them.
 */
import { useLayoutEffect, useRef } from 'react';
import type { IconName } from '../components/icon.tsx';

export interface PageCommand {
  id: string;
  label: string;
  icon: IconName;
  /** The letter that runs the command while nobody types. */
  key?: string;
  /** Other words by which the palette finds the command. */
  words?: string;
  /** The palette lists the command only when something is typed. */
  onlyTyped?: true;
  run: () => void;
  /** What the palette offers for the words after this beginning, such as people after `assign to`. */
  choices?: { after: string; search: (text: string, signal: AbortSignal) => Promise<readonly PageCommand[]> };
}

export interface CommandSet {
  /** What the commands are about. */
  title: string;
  commands: readonly PageCommand[];
}

type Offer = () => CommandSet | undefined;

const offers: Offer[] = [];

/** Offers commands while the component is mounted. `offer` is called when a key is pressed and when the palette opens. */
export function usePageCommands(offer: Offer): void {
  // No effect event, because the palette asks while it renders.
  const latest = useRef(offer);
  useLayoutEffect(() => {
    latest.current = offer;
  });
  // Before the page is painted: a key that is pressed as soon as the page is there counts.
  useLayoutEffect(() => {
    const mine = () => latest.current();
    offers.push(mine);
    return () => void offers.splice(offers.indexOf(mine), 1);
  }, []);
}

/** The commands of the page, those of the component that was mounted last first. */
export function pageCommands(): readonly CommandSet[] {
  return offers.toReversed().flatMap((offer) => offer() ?? []);
}

/** Runs the command of a key; false if the page has none now. */
export function runPageKey(key: string): boolean {
  const command = pageCommands()
    .flatMap(({ commands }) => commands)
    .find((item) => item.key === key);
  command?.run();
  return command !== undefined;
}

const isInModal = (element: Element) => element.closest('.MuiModal-root') !== null;

let before: Element | null = null;
if (typeof document !== 'undefined')
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && !isInModal(target)) before = target;
  });

/** The element that has the focus; while a dialog, a menu or the palette is open, the one that had it before. */
export function focusPlace(): Element | null {
  const active = document.activeElement;
  if (active && !isInModal(active)) return active;
  return before?.isConnected ? before : null;
}
