import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useCurrentUser } from '../../../api/lookups.ts';
import type { ResourceFormState } from '../../../forms/use-resource-form.ts';
import { sameValue } from '../panel/collisions.ts';
import { keepDraft, readDraft } from './unit-draft.ts';
import type { WorkUnit } from '../work-unit.rules.ts';

export interface RestoredDraft {
  /** When it was typed last. */
  at: string;
  /** Of its fields, those that still differ from what is saved. */
  count: number;
}

/** Keeps what is typed and brings it back once, when the unit is opened again by the same person. */
export function useUnitDraft(unit: WorkUnit, state: ResourceFormState) {
  const { data: user } = useCurrentUser();
  const id = unit.workUnitId;
  const { form, readOnly, rebase, base, row } = state;
  const person = readOnly ? undefined : user?.userName;
  const found = useMemo(() => (person ? readDraft(person, id) : undefined), [person, id]);
  const [isOver, setIsOver] = useState(false);
  const isRead = useRef(false);

  useEffect(() => {
    if (!person || isRead.current) return;
    isRead.current = true;
    const open = Object.keys(found?.values ?? {}).filter((name) => name in base() && !sameValue(found?.values[name], row?.[name]));
    if (!found || open.length === 0) return;
    rebase(Object.fromEntries(open.map((name) => [name, found.base[name] ?? null])));
    for (const name of open) form.setValue(name, found.values[name], { shouldDirty: true, shouldTouch: true });
  }, [person, found, rebase, base, row, form]);

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
  const count = isOver || !found ? 0 : Object.keys(found.values).filter((name) => dirtyFields[name]).length;
  const restored: RestoredDraft | undefined = found && count > 0 ? { at: found.at, count } : undefined;
  return { restored, drop };
}
