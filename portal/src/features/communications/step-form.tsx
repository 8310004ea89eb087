/** The form of a step, new or existing. A reload does not lose unsaved text. */
import { useState, type SyntheticEvent } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { communicationsEn } from '@cloudfit/contract/messages/communications.en.ts';
import { workUnitCommunicationActivities } from '@cloudfit/contract/resources/work-unit-communication-activities.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { useSave } from '../../rows/use-rows.ts';
import type { CommunicationStep } from './communication.rules.ts';

const t = communicationsEn.steps;
const { fields } = workUnitCommunicationActivities;

type StepDraft = Pick<CommunicationStep, 'details' | 'isCustomerFacing' | 'isComplete'>;
const blank: StepDraft = { details: '', isCustomerFacing: false, isComplete: false };

const isStepDraft = (stored: unknown): stored is StepDraft => typeof (stored as Partial<StepDraft> | null)?.details === 'string';

interface StepFormProps {
  communicationId: number;
  /** The step being edited; undefined for a new step. */
  step?: CommunicationStep | undefined;
  onDone: () => void;
}

export function StepForm({ communicationId, step, onDone }: StepFormProps) {
  const first = step ?? blank;
  const [draft, setDraft] = useState<StepDraft>(first);
  const [tried, setTried] = useState(false);
  const save = useSave(workUnitCommunicationActivities);
  const { details, isCustomerFacing, isComplete } = draft;
  const isDirty = details !== first.details || isCustomerFacing !== first.isCustomerFacing || isComplete !== first.isComplete;
  const drop = useDraft({
    name: `communicationStep.${communicationId}.${step?.workUnitCommunicationActivityId ?? 'new'}`,
    typed: isDirty ? draft : undefined,
    isTyped: isStepDraft,
    restore: setDraft,
  });
  const { run, isBusy } = useCommand(
    (values: StepDraft) =>
      save.mutateAsync(
        step
          ? { id: String(step.workUnitCommunicationActivityId), values }
          : { values: { ...values, workUnitCommunicationId: communicationId } },
      ),
    { failed: t.saveFailed },
  );

  const leave = () => {
    // The form of a new step stays, and keeps what is typed next.
    if (step) drop();
    else setDraft(blank);
    setTried(false);
    onDone();
  };
  const submit = async (event?: SyntheticEvent) => {
    event?.preventDefault();
    setTried(true);
    if (details.trim() !== '' && (await run({ details: details.trim(), isCustomerFacing, isComplete }))) leave();
  };
  return (
    <form className="step-form" aria-label={step ? t.edit(step.details) : t.addLabel} noValidate onSubmit={(event) => void submit(event)}>
      <Field
        label={step ? t.details : t.addLabel}
        required
        error={tried && details.trim() === '' ? en.form.requiredNamed(t.details) : undefined}
      >
        {(aria) => (
          <textarea
            className="input area"
            rows={2}
            {...aria}
            placeholder={t.placeholder}
            maxLength={fields.details.max}
            value={details}
            onChange={(event) => setDraft({ ...draft, details: event.target.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit(event);
            }}
          />
        )}
      </Field>
      <div className="step-foot">
        <Checkbox
          label={t.customerFacing}
          checked={isCustomerFacing}
          onChange={(checked) => setDraft({ ...draft, isCustomerFacing: checked })}
        />
        <Checkbox label={t.completed} checked={isComplete} onChange={(checked) => setDraft({ ...draft, isComplete: checked })} />
        <span className="grow" />
        {step && (
          <Button small onClick={leave}>
            {en.common.cancel}
          </Button>
        )}
        <Button small look="primary" type="submit" disabled={isBusy}>
          {isBusy ? en.common.saving : step ? t.save : t.add}
        </Button>
      </div>
    </form>
  );
}
