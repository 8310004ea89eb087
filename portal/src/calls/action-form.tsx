/** The form of `useActionForm`. Its button stands where the screen has its buttons: in the foot of a panel, or below the form. */
import type { ReactNode, SyntheticEvent } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { FormFields } from '../forms/form-fields.tsx';
import type { ResourceFormState } from '../forms/use-resource-form.ts';
import { ErrorNotice } from '../components/states.tsx';

interface ActionFormProps<R extends Resource> {
  state: ResourceFormState<R>;
  failure: string | undefined;
  submit: (event: SyntheticEvent) => void;
  label?: string;
  /** Shown above the fields. */
  children?: ReactNode;
}

export function ActionForm<R extends Resource>({ state, failure, submit, label, children }: ActionFormProps<R>) {
  return (
    <form id={state.id} noValidate aria-label={label} onSubmit={submit}>
      {children}
      <ErrorNotice text={failure} />
      <FormFields state={state} />
    </form>
  );
}
