/** The form of a step, new or existing. A reload does not lose unsaved text. */
import { useEffect, useState, type SyntheticEvent } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { communicationsEn } from '@cloudfit/contract/messages/communications.en.ts';
import { workUnitCommunicationActivities } from '@cloudfit/contract/resources/work-unit-communication-activities.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useSave } from '../../rows/use-rows.ts';
import type { CommunicationStep } from './communication.rules.ts';

const t = communicationsEn.steps;
const { fields } = workUnitCommunicationActivities;

type StepDraft = Pick<CommunicationStep, 'details' | 'isCustomerFacing' | 'isComplete'>;
const blank: StepDraft = { details: '', isCustomerFacing: false, isComplete: false };

function storedDraft(key: string): StepDraft | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text ? { ...blank, ...(JSON.parse(text) as Partial<StepDraft>) } : undefined;
  } catch {
    return undefined;
  }
}

interface StepFormProps {
  communicationId: number;
  /** The step being edited; undefined for a new step. */
  step?: CommunicationStep | undefined;
  onDone: () => void;
}

export function StepForm({ communicationId, step, onDone }: StepFormProps) {
  const key = `cloudfit.stepDraft.${communicationId}.${step?.workUnitCommunicationActivityId ?? 'new'}`;
  const [draft, setDraft] = useState<StepDraft>(() => storedDraft(key) ?? step ?? blank);
  const [tried, setTried] = useState(false);
  const save = useSave(workUnitCommunicationActivities);
  const { details, isCustomerFacing, isComplete } = draft;
  const first = step ?? blank;
  const isDirty = details !== first.details || isCustomerFacing !== first.isCustomerFacing || isComplete !== first.isComplete;
  useEffect(() => {
    if (isDirty) sessionStorage.setItem(key, JSON.stringify({ details, isCustomerFacing, isComplete }));
    else sessionStorage.removeItem(key);
  }, [key, isDirty, details, isCustomerFacing, isComplete]);

  const leave = () => {
    sessionStorage.removeItem(key);
    setDraft(blank);
    setTried(false);
    onDone();
  };
  const submit = async (event?: SyntheticEvent) => {
    event?.preventDefault();
    setTried(true);
    if (details.trim() === '' || save.isPending) return;
    const values = { details: details.trim(), isCustomerFacing, isComplete };
    try {
      await save.mutateAsync(
        step
          ? { id: String(step.workUnitCommunicationActivityId), values }
          : { values: { ...values, workUnitCommunicationId: communicationId } },
      );
      leave();
    } catch (error) {
      toastFailure(error, t.saveFailed);
    }
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
        <label className="check">
          <input
            type="checkbox"
            checked={isCustomerFacing}
            onChange={(event) => setDraft({ ...draft, isCustomerFacing: event.target.checked })}
          />
          {t.customerFacing}
        </label>
        <label className="check">
          <input type="checkbox" checked={isComplete} onChange={(event) => setDraft({ ...draft, isComplete: event.target.checked })} />
          {t.completed}
        </label>
        <span className="grow" />
        {step && (
          <Button small onClick={leave}>
            {en.common.cancel}
          </Button>
        )}
        <Button small look="primary" type="submit" disabled={save.isPending}>
          {save.isPending ? en.common.saving : step ? t.save : t.add}
        </Button>
      </div>
    </form>
  );
}
