import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useCurrentUser } from '../api/lookups.ts';
import { fieldValue, sameValue, type FormValues } from '../rows/row.ts';
import { keepDraft, readDraft } from './stored-draft.ts';

export interface RestoredDraft {
  /** The time of the last change. */
  at: string;
  /** The number of fields of the draft that still differ from the saved row. */
  count: number;
}

interface TypedFields {
  /** Values of the changed fields before they were changed. */
  base: FormValues;
  values: FormValues;
}

interface FormDraftOptions {
  /** The name under which the form is stored: the resource and its row. */
  name: string;
  form: UseFormReturn<FormValues>;
  /** The form is read-only. */
  readOnly: boolean;
  /** The saved row, or the first values of a new one. */
  saved: object;
  base: RefObject<FormValues>;
  rebase: (values: FormValues) => void;
}

function isTypedFields(typed: unknown): typed is TypedFields {
  const { base, values } = (typed ?? {}) as Partial<TypedFields>;
  return typeof base === 'object' && base !== null && typeof values === 'object' && values !== null;
}

/** Stores unsaved values of a form and restores them once, when the same person opens the same form again. */
export function useFormDraft({ name, form, readOnly, saved, base, rebase }: FormDraftOptions) {
  const { data: user } = useCurrentUser();
  const person = readOnly ? undefined : user?.userName;
  const stored = useMemo(() => (person ? readDraft(person, name, isTypedFields) : undefined), [person, name]);
  const [isOver, setIsOver] = useState(false);
  const isRead = useRef(false);

  useEffect(() => {
    if (!person || isRead.current) return;
    isRead.current = true;
    if (!stored) return;
    const { base: before, values } = stored.typed;
    const open = Object.keys(values).filter((field) => field in base.current && !sameValue(values[field], fieldValue(saved, field)));
    if (open.length === 0) return;
    rebase(Object.fromEntries(open.map((field) => [field, before[field] ?? null])));
    for (const field of open) form.setValue(field, values[field], { shouldDirty: true, shouldTouch: true });
  }, [person, stored, saved, rebase, base, form]);

  useEffect(() => {
    if (!person) return;
    return form.subscribe({
      formState: { values: true },
      callback: ({ values }) => {
        const before = base.current;
        const changed = Object.keys(before).filter((field) => !sameValue(values[field], before[field]));
        const pick = (from: FormValues) => Object.fromEntries(changed.map((field) => [field, from[field] ?? null]));
        keepDraft(person, name, changed.length > 0 ? { base: pick(before), values: pick(values) } : undefined);
        if (changed.length === 0) setIsOver(true);
      },
    });
  }, [person, name, base, form]);

  const drop = useCallback(() => {
    setIsOver(true);
    if (person) keepDraft(person, name, undefined);
  }, [person, name]);

  const { dirtyFields } = form.formState;
  const count = isOver || !stored ? 0 : Object.keys(stored.typed.values).filter((field) => dirtyFields[field]).length;
  const restored: RestoredDraft | undefined = stored && count > 0 ? { at: stored.at, count } : undefined;
  return { restored, drop };
}
