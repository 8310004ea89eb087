/** The state of a form whose values are the input of a declared call. */
import { useMemo, useState, type SyntheticEvent } from 'react';
import type { AnyCall, CallInput, CallOutput } from '@cloudfit/contract/call.ts';
import type { Field, Resource, Row } from '@cloudfit/contract/resource.ts';
import { call } from '../api/call.ts';
import { RequestFailed, useFormId } from '../api/client.ts';
import { toast } from '../components/toasts.tsx';
import type { FormLayout } from '../forms/form-types.ts';
import { showFieldErrors, useResourceForm } from '../forms/use-resource-form.ts';
import type { FormValues } from '../rows/row.ts';
import { refresh } from './command.ts';

type Fields = Record<string, Field>;
export type ActionValues<F extends Fields> = Row<Resource<F>>;

export interface ActionFormOptions<C extends AnyCall, F extends Fields> {
  to: C;
  /** The fields of the form, declared as those of an entity; outside the component, so that they stay the same. */
  fields: F;
  layout?: FormLayout<Resource<F>>;
  start?: Partial<ActionValues<F>>;
  /** The input of the call for valid values. */
  input: (values: ActionValues<F>) => CallInput<C>;
  /** The message of success; undefined shows none. */
  done?: (answer: CallOutput<C>, values: ActionValues<F>) => string | undefined;
  onDone?: (answer: CallOutput<C>, values: ActionValues<F>) => void;
  /** The entities and calls whose queries show what the call changes. */
  refreshes?: readonly string[];
}

/** The forms are made from declarations of entities; of a call they need its fields, and a name for the draft. */
function declarationOf<F extends Fields>(name: string, fields: F): Resource<F> {
  const rest = { label: '', plural: '', key: '', title: '', area: 'People', scope: { kind: 'installation' }, orderBy: '' } as const;
  return { ...rest, name, fields, verbs: [], relations: {} };
}

/**
 * Validates by the fields, calls, shows errors of the server at the fields that they name and others as `failure`. A press while the
 * call runs, and a repeat after an unknown outcome, do nothing twice. What is typed survives a reload.
 */
export function useActionForm<C extends AnyCall, F extends Fields>(options: ActionFormOptions<C, F>) {
  const { to, fields, layout, start, input, done, onDone, refreshes = [] } = options;
  const resource = useMemo(() => declarationOf(to, fields), [to, fields]);
  const state = useResourceForm({ resource, mode: 'create', row: undefined, layout, start: start as FormValues<Resource<F>> | undefined });
  const formId = useFormId();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const send = state.form.handleSubmit(async (valid) => {
    const values = valid as ActionValues<F>;
    setBusy(true);
    setFailure(undefined);
    try {
      const answer = await call(to, input(values), { creates: true, form: formId, quiet: true });
      state.dropDraft();
      state.fields.reset();
      const message = done?.(answer, values);
      if (message !== undefined) toast.success(message);
      await refresh(refreshes);
      onDone?.(answer, values);
    } catch (error) {
      console.warn(error);
      if (!showFieldErrors(state, error) && !(error instanceof RequestFailed && error.isTold)) setFailure(error);
    } finally {
      setBusy(false);
    }
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isBusy) void send();
  };
  return { state, isBusy, failure, submit };
}
