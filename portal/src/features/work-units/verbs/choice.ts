/** The open choice of a value for work units: a menu or a search at the place where the person asked for it. */
import { useSyncExternalStore } from 'react';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

/** A field whose value is chosen, the unit into which one is merged, or until when units are snoozed. */
export type ChoiceKind = ChosenField | 'mergeInto' | 'snooze';
export type ChosenField = 'severityId' | 'stateId' | 'assignedTo' | 'assignmentGroup';

export interface OpenChoice {
  kind: ChoiceKind;
  anchor: HTMLElement;
  units: readonly PanelWorkUnit[];
}

let current: OpenChoice | undefined;
const listeners = new Set<() => void>();

function set(next: OpenChoice | undefined) {
  current = next;
  for (const listener of listeners) listener();
}

export const openChoice = (choice: OpenChoice) => set(choice);
export const closeChoice = () => set(undefined);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useChoice(): OpenChoice | undefined {
  return useSyncExternalStore(subscribe, () => current);
}
