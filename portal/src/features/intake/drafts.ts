/** Drafts of intakes: four slots in this browser, one set per person, each stored for twelve hours. */
import { useEffect } from 'react';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import { browserStore } from '../../api/browser-store.ts';
import type { IntakeValues } from './intake-form.ts';

/** Number of drafts that a person can have (INTK-005, INTK-015). */
export const draftSlots = 4;
/** Lifetime of a draft in milliseconds: twelve hours (INTK-010). */
export const draftLifetimeMs = 43_200_000;

export interface IntakeDraft {
  index: number;
  values: IntakeValues;
  /** When the draft was last saved, in epoch milliseconds. */
  at: number;
}

const slotsOf = <T>(stored: unknown, isOne: (one: unknown) => one is T): (T | null)[] => {
  const items: unknown[] = Array.isArray(stored) ? stored : [];
  return Array.from({ length: draftSlots }, (_, index) => (isOne(items[index]) ? items[index] : null));
};
const isValues = (item: unknown): item is IntakeValues => typeof item === 'object' && item !== null && !Array.isArray(item);
const isTime = (item: unknown): item is number => typeof item === 'number' && Number.isFinite(item);

function makeDrafts(personId: string) {
  const values = browserStore(`cloudfit.intake.drafts.${personId}`, (stored) => slotsOf(stored, isValues));
  const times = browserStore(`cloudfit.intake.draftTimestamps.${personId}`, (stored) => slotsOf(stored, isTime));

  const check = (index: number) => {
    if (!Number.isInteger(index) || index < 0 || index >= draftSlots) throw new RangeError(t.invalidIndex);
  };
  const put = (index: number, draft: IntakeValues | null, at: number | null) => {
    values.set(values.get().with(index, draft));
    times.set(times.get().with(index, at));
  };
  const at = (index: number, now: number): IntakeDraft | undefined => {
    const [stored, saved] = [values.get()[index], times.get()[index]];
    return stored && saved !== null && saved !== undefined && now - saved < draftLifetimeMs
      ? { index, values: stored, at: saved }
      : undefined;
  };
  const clearExpired = (now: number) => {
    for (let index = 0; index < draftSlots; index += 1)
      if ((values.get()[index] || times.get()[index]) && !at(index, now)) put(index, null, null);
  };

  return {
    /** The stored drafts; deletes expired ones. */
    list(now = Date.now()): readonly IntakeDraft[] {
      clearExpired(now);
      return Array.from({ length: draftSlots }, (_, index) => at(index, now)).filter((draft) => draft !== undefined);
    },
    read(index: number, now = Date.now()): IntakeDraft | undefined {
      check(index);
      clearExpired(now);
      return at(index, now);
    },
    /** Saves into slot `index`, or without it into the first free slot. Returns the slot; undefined if none is free. */
    save(draft: IntakeValues, index?: number, now = Date.now()): number | undefined {
      clearExpired(now);
      if (index !== undefined) check(index);
      const slot = index ?? values.get().findIndex((stored) => stored === null);
      if (slot < 0) return undefined;
      put(slot, draft, now);
      return slot;
    },
    remove(index: number): void {
      check(index);
      put(index, null, null);
    },
    /** Re-renders when a draft changes, also in another tab. */
    useList(): readonly IntakeDraft[] {
      values.use();
      times.use();
      useEffect(() => clearExpired(Date.now()), []);
      return Array.from({ length: draftSlots }, (_, index) => at(index, Date.now())).filter((draft) => draft !== undefined);
    },
  };
}

export type Drafts = ReturnType<typeof makeDrafts>;

const draftsByPerson = new Map<string, Drafts>();

/**
 * Returns the drafts of one person. They are stored by person, because another person at the same browser may not see their
 * data.
 */
export function draftsOf(personId: string): Drafts {
  const drafts = draftsByPerson.get(personId) ?? makeDrafts(personId);
  draftsByPerson.set(personId, drafts);
  return drafts;
}
