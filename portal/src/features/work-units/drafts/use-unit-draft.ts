import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useCurrentUser } from '../../../api/lookups.ts';
import type { ResourceFormState } from '../../../forms/use-resource-form.ts';
import { sameValue } from '../panel/collisions.ts';
import { keepDraft, readDraft } from './unit-draft.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

export interface RestoredDraft {
  /** The time of the last keystroke. */
  at: string;
  /** The fields of the draft that still differ from the saved unit. */
  count: number;
}

/** Stores the typed values and restores them once, when the same person opens the unit again. */
export function useUnitDraft(unit: PanelWorkUnit, state: ResourceFormState) {
  const { data: user } = useCurrentUser();
  const id = unit.workUnitId;
  const { form, readOnly, rebase, base, row } = state;
  const person = readOnly ? undefined : user?.userName;
  const storedDraft = useMemo(() => (person ? readDraft(person, id) : undefined), [person, id]);
  const [isOver, setIsOver] = useState(false);
  const isRead = useRef(false);

  useEffect(() => {
    if (!person || isRead.current) return;
    isRead.current = true;
    const open = Object.keys(storedDraft?.values ?? {}).filter(
      (name) => name in base() && !sameValue(storedDraft?.values[name], row?.[name]),
    );
    if (!storedDraft || open.length === 0) return;
    rebase(Object.fromEntries(open.map((name) => [name, storedDraft.base[name] ?? null])));
    for (const name of open) form.setValue(name, storedDraft.values[name], { shouldDirty: true, shouldTouch: true });
  }, [person, storedDraft, rebase, base, row, form]);

  useEffect(() => {
    if (!person) return;
    return form.subscribe({
      formState: { values: true },
      callback: ({ values }) => {
        const before = base();
        const changed = Object.keys(before).filter((name) => values[name] !== before[name]);
        const pick = (from: Record<string, unknown>) => Object.fromEntries(changed.map((name) => [name, from[name] ?? null]));
        keepDraft(person, id, changed.length > 0 ? { at: new Date().toISOString(), base: pick(before), values: pick(values) } : undefined);
        if (changed.length === 0) setIsOver(true);
      },
    });
  }, [person, id, base, form]);

  const drop = useCallback(() => {
    setIsOver(true);
    if (person) keepDraft(person, id, undefined);
  }, [person, id]);

  const { dirtyFields } = form.formState;
  const count = isOver || !storedDraft ? 0 : Object.keys(storedDraft.values).filter((name) => dirtyFields[name]).length;
  const restored: RestoredDraft | undefined = storedDraft && count > 0 ? { at: storedDraft.at, count } : undefined;
  return { restored, drop };
}
