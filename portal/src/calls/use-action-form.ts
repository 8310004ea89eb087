/** The state of a form whose values are the input of a declared call. */
import { useMemo, useState, type SyntheticEvent } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Field, Resource, Row } from '@cloudfit/contract/resource.ts';
import type { SendOptions } from '../api/call.ts';
import { failureText, RequestFailed, useFormId } from '../api/client.ts';
import type { FormLayout } from '../forms/form-types.ts';
import { showFieldErrors, useResourceForm } from '../forms/use-resource-form.ts';
import { refresh } from './command.ts';

type Fields = Record<string, Field>;
type ActionValues<F extends Fields> = Row<Resource<F>>;

interface ActionFormOptions<Answer, F extends Fields> {
  /** The name of the stored draft: what the form does, and to which row. */
  draft: string;
  /** The fields of the form, declared as those of an entity; the same object at each render. */
  fields: F;
  /** The same object at each render. */
  layout: FormLayout<Resource<F>>;
  readOnly?: boolean;
  /** The message of a failure; by default the text of the server. */
  failed?: string;
  onDone: (answer: Answer, values: ActionValues<F>) => void;
  /** The entities and calls whose queries show what the call changes. */
  refreshes?: readonly string[];
}

/** The forms are made from declarations of entities; of a call they need its fields, and a name for the draft. */
function declarationOf<F extends Fields>(name: string, fields: F): Resource<F> {
  const rest = { label: '', plural: '', key: '', title: '', area: 'People', scope: { kind: 'installation' }, orderBy: '' } as const;
  return { ...rest, name, fields, verbs: [], relations: {} };
}

/**
 * Validates by the fields and sends. After a failure it returns the reason as `failure`, and shows errors of the server at the fields
 * that they name. A press while the call runs, and a repeat after an unknown outcome, do nothing twice if `send` passes on its
 * options. What is typed survives a reload.
 */
export function useActionForm<Answer, F extends Fields>(
  send: (values: ActionValues<F>, once: SendOptions) => Promise<Answer>,
  { draft, fields, layout, readOnly, failed, onDone, refreshes = [] }: ActionFormOptions<Answer, F>,
) {
  const resource = useMemo(() => declarationOf(draft, fields), [draft, fields]);
  const state = useResourceForm({ resource, mode: 'create', row: undefined, layout, readOnly });
  // Some inputs depend on the values of other fields.
  state.fields.watch();
  const formId = useFormId();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const submitValid = state.form.handleSubmit(async (valid) => {
    const values = valid as ActionValues<F>;
    setBusy(true);
    setFailure(undefined);
    try {
      const answer = await send(values, { creates: true, form: formId, quiet: true });
      state.dropDraft();
      onDone(answer, values);
      await refresh(refreshes);
    } catch (error) {
      console.warn(error);
      showFieldErrors(state, error);
      const text = failureText(error);
      // That an earlier try may have succeeded is told instead of `failed`, which asks to try again.
      if (!(error instanceof RequestFailed && error.isTold)) setFailure(text === en.failure.sentBefore ? text : (failed ?? text));
    } finally {
      setBusy(false);
    }
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isBusy) void submitValid();
  };
  return { state, isBusy, failure, submit };
}
