/** The form of a communication, new or saved; its status decides which fields are required. */
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import type { Row } from '@cloudfit/contract/resource.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { communicationsEn as t } from '@cloudfit/contract/messages/communications.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { inputs } from '../../forms/inputs.tsx';
import { PersonInput } from '../../entities/people/person-input.tsx';
import { FormFields } from '../../forms/form-fields.tsx';
import type { FormLayout, InputProps } from '../../forms/form-types.ts';
import { useScope } from '../../rows/use-scope.ts';
import { showFieldErrors, useResourceForm } from '../../forms/use-resource-form.ts';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { useSave } from '../../rows/use-rows.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { ServicesInput } from './services-input.tsx';
import { communicationProblems, isClosed, type CommunicationRow } from './communication.rules.ts';
import { nowMs } from '../../theme/now.ts';

const resource = workUnitCommunications;

/** A new communication can only be Investigating: its status is shown, not chosen (COMM-026). */
function StatusInput(props: InputProps<typeof resource>) {
  return <inputs.select {...props} disabled={props.disabled || props.row === undefined} />;
}

function layoutOf(status: unknown, saved: CommunicationRow | undefined): FormLayout<typeof resource> {
  // A communication that is already closed has no next update. While a person closes it, the planned update can still be
  // changed.
  const isOver = saved !== undefined && isClosed(saved.status) && isClosed(status);
  return {
    sections: [
      {
        title: t.sections.event,
        fields: [
          'title',
          'tenantId',
          'status',
          'serviceManager',
          ...(isOver ? [] : (['nextUpdate'] as const)),
          'customerAssistanceRequired',
          'isPublic',
        ],
      },
      { title: t.sections.impact, fields: ['details', 'impactedServices', 'currentImpact', 'maximumImpact', 'rootCause'] },
      { title: t.sections.times, fields: ['eventStarted', 'eventEngaged', 'eventMitigated', 'eventResolved'] },
      { title: t.sections.inside, fields: ['internalBridge', ...(isOver ? [] : (['nextInternalUpdate'] as const))] },
    ],
    wide: ['title'],
    help: t.help,
    inputs: { status: StatusInput, serviceManager: PersonInput, impactedServices: ServicesInput },
    requiredTexts: {
      ...(isClosed(status) ? {} : { nextUpdate: en.form.dateRequired }),
      ...(status === 'Resolved' ? { rootCause: t.rootCauseRequired } : {}),
    },
    check: (values) => communicationProblems(values, saved, nowMs()),
  };
}

interface CommunicationFormProps {
  communication: CommunicationRow | undefined;
  /** The element in which the buttons are rendered. */
  footer: HTMLElement | null;
  onClose: () => void;
  onSaved: (communication: Row<typeof resource>) => void;
  onDirty?: (isDirty: boolean) => void;
  aside?: ReactNode;
}

export function CommunicationForm({ communication, footer, onClose, onSaved, onDirty, aside }: CommunicationFormProps) {
  const may = useMay();
  const scope = useScope();
  const [status, setStatus] = useState<unknown>(communication?.status ?? 'Investigating');
  const layout = useMemo(() => layoutOf(status, communication), [status, communication]);
  const readOnly = !may(resource.area, communication ? 'edit' : 'create');
  const start = communication ? undefined : { tenantId: scope.tenantId };
  const state = useResourceForm({ resource, mode: communication ? 'edit' : 'create', row: communication, layout, readOnly, start });
  const { form, isDirty } = state;
  const watched = form.watch('status');
  if (watched !== undefined && watched !== status) setStatus(watched);
  const save = useSave(resource);
  useUnsavedGuard(isDirty, 'publicWuCommId', state.dropDraft);
  useEffect(() => onDirty?.(isDirty), [isDirty, onDirty]);

  const submit = form.handleSubmit(async (values) => {
    const id = communication && String(communication.workUnitCommunicationId);
    try {
      const saved = await save.mutateAsync({ id, values: state.changed(values) });
      tellOfRow(saved, (communication ? en.form.saved : en.form.created)(resource.label));
      onSaved(saved);
    } catch (error) {
      showFieldErrors(state, error);
      toastFailure(error, t.saveFailed);
    }
  });
  return (
    <form id={state.id} noValidate onSubmit={(event) => void submit(event)}>
      <FormFields state={state} />
      {footer &&
        createPortal(
          <>
            {!readOnly && (
              <Button look="primary" type="submit" form={state.id} disabled={save.isPending || (communication !== undefined && !isDirty)}>
                {save.isPending ? en.common.saving : communication ? en.common.save : en.common.create}
              </Button>
            )}
            <Button onClick={onClose}>{readOnly ? en.common.close : en.common.cancel}</Button>
            <span className="grow" />
            {readOnly ? <span className="faint">{en.form.noRight}</span> : aside}
          </>,
          footer,
        )}
    </form>
  );
}
