/** What a verb is about: the units, and where on the screen its choices open. */
import { openStates } from '@cloudfit/contract/enums.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import type { ChoiceKind } from './choice.ts';

export interface UnitTarget {
  /** The number of units. */
  count: number;
  /** Those of the units that the page has; of a selection over several pages, not all. */
  shown: readonly PanelWorkUnit[];
  /** All units, reading those that the page does not have. */
  all: () => Promise<readonly PanelWorkUnit[]>;
  /** The element at which the choice of a value opens. */
  anchor: (kind: ChoiceKind) => HTMLElement | null;
  /** Goes to the composer of the unit's notes. */
  note?: () => void;
  /** Called after a verb that usually takes units out of the list, so that no key acts on rows that nobody sees. */
  onLeft?: () => void;
}

export const isOpen = ({ stateId }: Pick<PanelWorkUnit, 'stateId'>) => openStates.includes(stateId);

/** The visible one of the elements, by their order. */
export function firstVisible(...elements: readonly (Element | null | undefined)[]): HTMLElement | null {
  return elements.find((element): element is HTMLElement => element instanceof HTMLElement && element.offsetParent !== null) ?? null;
}

/** Focuses the composer of notes as soon as it is there; a key or the pointer ends the wait. */
export function focusNote(): void {
  const selector = '[data-note]';
  const focus = () => {
    const note = firstVisible(...document.querySelectorAll(selector));
    if (!note) return false;
    note.scrollIntoView?.({ block: 'nearest' });
    note.focus();
    return true;
  };
  if (focus()) return;
  const observer = new MutationObserver(() => {
    if (focus()) stop();
  });
  const stop = () => {
    observer.disconnect();
    document.removeEventListener('keydown', stop, true);
    document.removeEventListener('pointerdown', stop, true);
  };
  document.addEventListener('keydown', stop, true);
  document.addEventListener('pointerdown', stop, true);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['hidden'] });
}
