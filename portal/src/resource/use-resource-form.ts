/** The state of a form over a row: follows the row while it changes on the server, and never overwrites what was typed. */
import { useCallback, useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { useForm, type UseFormReturn } from 'react-hook-form';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { RequestFailed } from '../api/client.ts';
import { formSections, formValues, makeResolver, writableFields, type Mode } from './form-model.ts';
import type { FormLayout, FormSection, Values } from './form-types.ts';
import type { AnyRow } from './row.ts';

export interface ResourceFormState {
  id: string;
  resource: Resource;
  mode: Mode;
  layout: FormLayout;
  sections: readonly FormSection[];
  names: readonly string[];
  form: UseFormReturn<Values>;
  row: AnyRow | undefined;
  readOnly: boolean;
  isDirty: boolean;
  /** Values as they were when the person began to change them: what a conflict is measured against. */
  base: () => Values;
  /** Measures what was typed against these values from now on; what is typed stays, and is no change where it is the same. */
  rebase: (values: Values) => void;
  /** Throws away what was typed and shows the row as it is now. */
  restart: () => void;
}

interface Options {
  resource: Resource;
  mode: Mode;
  row: AnyRow | undefined;
  layout?: FormLayout | undefined;
  readOnly?: boolean;
  /** First values of a new row, over those of the declaration. */
  start?: Values | undefined;
}

export function useResourceForm({ resource, mode, row, layout = {}, readOnly = false, start }: Options): ResourceFormState {
  const id = useId();
  const sections = useMemo(
    () => formSections(resource, mode, layout).filter(({ isFor }) => isFor?.(row) ?? true),
    [resource, mode, layout, row],
  );
  const names = useMemo(() => sections.flatMap((section) => section.fields), [sections]);
  const every = useMemo(() => writableFields(resource, mode), [resource, mode]);
  const [given] = useState(start);
  const resolver = useMemo(() => makeResolver(resource, names, layout, Object.keys(given ?? {})), [resource, names, layout, given]);
  const [first] = useState<Values>(() => ({ ...formValues(resource, every, row), ...given }));
  const base = useRef(first);
  const form = useForm<Values>({ defaultValues: first, resolver, mode: 'onTouched', reValidateMode: 'onChange' });
  const { dirtyFields, errors, submitCount } = form.formState;
  const known = useRef(row);

  const rebase = useCallback(
    (values: Values) => {
      const typed = Object.keys(form.formState.dirtyFields);
      base.current = { ...base.current, ...values };
      form.reset(base.current, { keepDirtyValues: true, keepErrors: true, keepTouched: true, keepSubmitCount: true });
      // The form does not ask by itself whether what was typed still differs.
      for (const name of typed) form.setValue(name, form.getValues(name), { shouldDirty: true });
    },
    [form],
  );

  useEffect(() => {
    if (!row || row === known.current) return;
    known.current = row;
    const fresh = formValues(resource, every, row);
    // Of a field that is being changed the value before that stays the measure, unless both came to the same.
    const differs = Object.keys(form.formState.dirtyFields).filter((name) => form.getValues(name) !== fresh[name]);
    rebase({ ...fresh, ...Object.fromEntries(differs.map((name) => [name, base.current[name]])) });
  }, [row, resource, every, form, rebase]);

  const showFirstError = useEffectEvent(() => {
    if (Object.keys(errors).length > 0) document.getElementById(id)?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });
  useEffect(() => {
    if (submitCount > 0) showFirstError();
  }, [submitCount]);

  const restart = () => {
    base.current = formValues(resource, every, row);
    form.reset(base.current);
  };

  return {
    id,
    resource,
    mode,
    layout,
    sections,
    names,
    form,
    row,
    readOnly,
    isDirty: names.some((name) => dirtyFields[name]),
    base: () => base.current,
    rebase,
    restart,
  };
}

/** Shows what the server refused at its field; answers whether anything found its place. */
export function showFieldErrors(form: UseFormReturn<Values>, names: readonly string[], error: unknown): boolean {
  if (!(error instanceof RequestFailed)) return false;
  const placed = error.details.filter((detail) => detail.target !== undefined && names.includes(detail.target));
  for (const detail of placed)
    if (detail.target) form.setError(detail.target, { type: 'server', message: detail.message ?? en.form.required });
  return placed.length > 0;
}
