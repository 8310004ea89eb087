/** The state of a form over a row: takes over changes from the server, but never overwrites typed values. */
import { useCallback, useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { useForm, type UseFormReturn } from 'react-hook-form';
import type { FieldName, Resource, Row } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { RequestFailed } from '../api/client.ts';
import { formSections, formValues, makeResolver, writableFields, type Mode } from './form-model.ts';
import type { FormLayout, FormSection } from './form-types.ts';
import { keyOf, type FormValues } from '../rows/row.ts';
import { useFormDraft, type RestoredDraft } from '../drafts/use-form-draft.ts';

export interface ResourceFormState<R extends Resource = Resource> {
  id: string;
  resource: R;
  mode: Mode;
  layout: FormLayout<R>;
  sections: readonly FormSection<R>[];
  names: readonly FieldName<R>[];
  form: UseFormReturn<FormValues<R>>;
  /** The same form for code that learns the field names at run time. */
  fields: UseFormReturn<FormValues>;
  values: () => FormValues<R>;
  /** The fields that differ from the saved row; for a new row, all fields. */
  changed: (values: FormValues<R>) => FormValues<R>;
  row: Row<R> | undefined;
  readOnly: boolean;
  isDirty: boolean;
  /** The values before the person changed them; conflicts are detected by comparing with these. */
  base: () => FormValues<R>;
  /** Makes these values the new baseline. Typed values stay; those that equal the baseline count as unchanged. */
  rebase: (values: FormValues<R>) => void;
  /** Discards typed values and shows the present row. */
  restart: () => void;
  /** Values that were unsaved when the session ended or the page was reloaded. */
  restored: RestoredDraft | undefined;
  /** Deletes the stored draft, after saving or discarding. */
  dropDraft: () => void;
}

interface FormOptions<R extends Resource> {
  resource: R;
  mode: Mode;
  row: Row<R> | undefined;
  layout?: FormLayout<R> | undefined;
  readOnly?: boolean | undefined;
  /** Initial values of a new row; they override those of the declaration. */
  start?: FormValues<R> | undefined;
}

/** The name of the stored draft. A new row has no key; its initial references, such as the tenant, identify the draft. */
function draftName(resource: Resource, row: object | undefined, start: FormValues | undefined): string {
  if (row) return `${resource.name}.${keyOf(resource, row)}`;
  const parents = Object.entries(start ?? {}).flatMap(([name, value]) =>
    resource.fields[name]?.ref && value ? [`${name}=${String(value)}`] : [],
  );
  return [resource.name, 'new', ...parents].join('.');
}

export function useResourceForm<R extends Resource>({
  resource,
  mode,
  row,
  layout = {},
  readOnly = false,
  start,
}: FormOptions<R>): ResourceFormState<R> {
  const id = useId();
  const sections = useMemo(
    () => formSections(resource, mode, layout).filter(({ isFor }) => isFor?.(row) ?? true),
    [resource, mode, layout, row],
  );
  const names = useMemo(() => sections.flatMap((section) => section.fields), [sections]);
  const every = useMemo(() => writableFields(resource, mode), [resource, mode]);
  const [startValues] = useState(start);
  const resolver = useMemo(
    () => makeResolver(resource, names, layout, Object.keys(startValues ?? {})),
    [resource, names, layout, startValues],
  );
  const [first] = useState<FormValues>(() => ({ ...formValues(resource, every, row), ...startValues }));
  const base = useRef(first);
  const form = useForm<FormValues>({ defaultValues: first, resolver, mode: 'onTouched', reValidateMode: 'onChange' });
  const { dirtyFields, errors, submitCount } = form.formState;
  const knownRow = useRef(row);

  const rebase = useCallback(
    (values: FormValues) => {
      const typed = Object.keys(form.formState.dirtyFields);
      base.current = { ...base.current, ...values };
      form.reset(base.current, { keepDirtyValues: true, keepErrors: true, keepTouched: true, keepSubmitCount: true });
      // The form library does not recompute by itself whether typed values differ from the new baseline.
      for (const name of typed) form.setValue(name, form.getValues(name), { shouldDirty: true });
    },
    [form],
  );

  useEffect(() => {
    if (!row || row === knownRow.current) return;
    knownRow.current = row;
    const fresh = formValues(resource, every, row);
    // A field with an unsaved change keeps its old baseline, unless the server's new value equals the typed one.
    const differs = Object.keys(form.formState.dirtyFields).filter((name) => form.getValues(name) !== fresh[name]);
    rebase({ ...fresh, ...Object.fromEntries(differs.map((name) => [name, base.current[name]])) });
  }, [row, resource, every, form, rebase]);

  const showFirstError = useEffectEvent(() => {
    if (Object.keys(errors).length === 0) return;
    const first = document.getElementById(id)?.querySelector<HTMLElement>('[aria-invalid="true"]');
    first?.focus();
    // The text of the error stands below the control.
    first?.closest('.field')?.scrollIntoView?.({ block: 'nearest' });
  });
  useEffect(() => {
    if (submitCount > 0) showFirstError();
  }, [submitCount]);

  const { restored, drop } = useFormDraft({
    name: draftName(resource, row, startValues),
    form,
    readOnly,
    saved: row ?? first,
    base,
    rebase,
  });

  const restart = () => {
    drop();
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
    // The library derives its types from field names, which only the caller knows.
    form: form as unknown as UseFormReturn<FormValues<R>>,
    fields: form,
    values: () => form.getValues() as FormValues<R>,
    changed: (values) =>
      mode === 'create' ? values : (Object.fromEntries(Object.entries(values).filter(([name]) => dirtyFields[name])) as FormValues<R>),
    row,
    readOnly,
    isDirty: names.some((name) => dirtyFields[name]),
    base: () => base.current as FormValues<R>,
    rebase,
    restart,
    restored,
    dropDraft: drop,
  };
}

/** Shows the server's errors at their fields; returns whether any error belongs to a field. */
export function showFieldErrors({ names, fields }: Pick<ResourceFormState, 'names' | 'fields'>, error: unknown): boolean {
  if (!(error instanceof RequestFailed)) return false;
  // `components.0.of` is shown at `components`.
  const placed = error.details.flatMap(({ target, message }) => {
    const [name] = target?.split('.') ?? [];
    return name !== undefined && names.includes(name) ? [{ name, message }] : [];
  });
  for (const { name, message } of placed) fields.setError(name, { type: 'server', message: message ?? en.form.required });
  return placed.length > 0;
}
