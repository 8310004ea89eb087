/** Forms of declared calls: in a panel of their own, or inside another one. */
import type { ReactNode } from 'react';
import type { AnyCall } from '@cloudfit/contract/call.ts';
import type { Field } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { SidePanel } from '../components/side-panel.tsx';
import { FormFields } from '../forms/form-fields.tsx';
import { useActionForm, type ActionFormOptions } from './use-action-form.ts';

interface ActionFormProps<C extends AnyCall, F extends Record<string, Field>> extends ActionFormOptions<C, F> {
  /** The label of the button that sends. */
  submit: string;
  /** Why the form cannot be sent, shown above it. */
  problem?: string | undefined;
  /** Shown above the fields. */
  children?: ReactNode;
}

function Notices({ problem, failure }: { problem: string | undefined; failure: unknown }) {
  return (
    <>
      {problem !== undefined && (
        <p className="notice" role="status">
          {problem}
        </p>
      )}
      {failure !== undefined && (
        <p className="notice error" role="alert">
          {failureText(failure)}
        </p>
      )}
    </>
  );
}

/** A form inside a page, a tab or a panel. */
export function ActionForm<C extends AnyCall, F extends Record<string, Field>>({
  submit: label,
  problem,
  children,
  ...options
}: ActionFormProps<C, F>) {
  const { state, isBusy, failure, submit } = useActionForm(options);
  return (
    <form id={state.id} noValidate onSubmit={submit}>
      {children}
      <Notices problem={problem} failure={failure} />
      <FormFields state={state} />
      <div className="row">
        <Button look="primary" type="submit" disabled={isBusy || problem !== undefined}>
          {isBusy ? en.common.saving : label}
        </Button>
      </div>
    </form>
  );
}

interface ActionPanelProps<C extends AnyCall, F extends Record<string, Field>> extends ActionFormProps<C, F> {
  title: string;
  onClose: () => void;
}

/** A panel that is one form. */
export function ActionPanel<C extends AnyCall, F extends Record<string, Field>>({
  title,
  onClose,
  submit: label,
  problem,
  children,
  ...options
}: ActionPanelProps<C, F>) {
  const { state, isBusy, failure, submit } = useActionForm(options);
  const close = () => {
    state.dropDraft();
    onClose();
  };
  return (
    <SidePanel
      title={title}
      onClose={close}
      footer={
        <>
          <Button look="primary" type="submit" form={state.id} disabled={isBusy || problem !== undefined}>
            {isBusy ? en.common.saving : label}
          </Button>
          <Button onClick={close}>{en.common.cancel}</Button>
        </>
      }
    >
      <form id={state.id} className="body" noValidate onSubmit={submit}>
        {children}
        <Notices problem={problem} failure={failure} />
        <FormFields state={state} />
      </form>
    </SidePanel>
  );
}
