/** The form of one step, within the timeline. */
import { useState, type ComponentType } from 'react';
import { severities, workUnitStates } from '@cloudfit/contract/enums.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { protocolActions as resource } from '@cloudfit/contract/resources/protocol-actions.ts';
import { afterPress, Field } from '../../../components/field.tsx';
import { ErrorNotice } from '../../../components/states.tsx';
import { ParameterFields } from '../../../entities/executions/parameter-fields.tsx';
import { parameterNames } from '../../../entities/executions/action-parameters.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import { inputs } from '../../../forms/inputs.tsx';
import { ActionInput } from '../action-input.tsx';
import { ChoicesInput } from '../choices-input.tsx';
import { typedDuration, type ActionsById, type TimelineStep, type StepField, type StepProblems } from './steps.ts';
import type { StepsState } from './use-steps.ts';

const t = protocolTexts.timeline;
const texts = protocolTexts.actions;

/**
 * The typed value is applied when the person leaves the field or presses Enter: otherwise a step would move with each digit.
 */
function DurationInput({ value, onChange, field, ...props }: InputProps) {
  const [text, setText] = useState<string>();
  const commit = () => {
    if (text === undefined) return;
    setText(undefined);
    onChange(text === '' && field.nullable ? null : typedDuration(text));
  };
  return (
    <span
      className="step-duration"
      role="presentation"
      // Selects the duration: a new step copies it from the step before, and typing replaces a selected text.
      onFocus={({ target }) => {
        if (target instanceof HTMLInputElement) target.select();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
      onBlur={({ relatedTarget }) => {
        // Applying the value can move the steps, so it waits until the click that took the focus has ended. The save button
        // does not move, and needs the value at once.
        if (relatedTarget instanceof HTMLButtonElement && relatedTarget.type === 'submit') commit();
        else afterPress(commit);
      }}
    >
      <inputs.duration
        {...props}
        field={field}
        value={text ?? value}
        onChange={(typed) => setText(typeof typed === 'string' ? typed : '')}
      />
    </span>
  );
}

const special: Partial<Record<StepField, ComponentType<InputProps>>> = {
  wait: DurationInput,
  repeatEvery: DurationInput,
  lateAfter: DurationInput,
  onlyStates: (props) => <ChoicesInput {...props} choices={workUnitStates} />,
  onlySeverities: (props) => <ChoicesInput {...props} choices={severities} />,
};

/** Collapsed fields that can have a problem; their part of the form opens to show it. */
const moreProblems: readonly StepField[] = [
  'summary',
  'repeatEvery',
  'repeatTimes',
  'hoursScheduleId',
  'lateAfter',
  'onlyStates',
  'onlySeverities',
];

interface StepFieldsProps {
  step: TimelineStep;
  state: StepsState;
  definitions: ActionsById;
  tenantId: string | null;
  readOnly: boolean;
  /** The name of a saved step's action, while the choices load. */
  knownAction: string | undefined;
  problems: StepProblems | undefined;
}

export function StepFields({ step, state, definitions, tenantId, readOnly, knownAction, problems }: StepFieldsProps) {
  const { key, values } = step;
  const isAutomatic = values.runAutomatically === true;
  const definition = definitions.get(String(values.actionDefinitionId));
  const names = parameterNames(definition?.inputParameters);

  const one = (name: StepField, more: { label?: string; help?: string; wide?: boolean; disabled?: boolean } = {}) => {
    const field = resource.fields[name];
    const Control = name === 'actionDefinitionId' ? inputs.text : (special[name] ?? inputs[field.input === 'json' ? 'text' : field.input]);
    return (
      <Field
        key={name}
        label={more.label ?? field.label}
        required={field.required}
        help={more.help ?? field.help}
        error={problems?.[name]}
        wide={more.wide}
      >
        {(aria) => {
          const props: InputProps = {
            field,
            name,
            aria,
            value: values[name],
            disabled: readOnly || more.disabled === true,
            values: { tenantId },
            onChange: (value) => state.set(key, { [name]: value }),
            onBlur: () => undefined,
            setValue: () => undefined,
          };
          return name === 'actionDefinitionId' ? (
            <ActionInput {...props} tenantId={tenantId} knownName={knownAction} />
          ) : (
            <Control {...props} />
          );
        }}
      </Field>
    );
  };

  return (
    <div className="step-fields">
      <div className="form-grid">
        {one('actionDefinitionId')}
        {one('workUnitEventTypeId')}
        {one('wait', { label: t.waitLabel, help: isAutomatic ? t.waitHelp : t.waitHelpApproval })}
        {one('runAutomatically', { help: t.automaticHelp })}
      </div>
      <ErrorNotice text={problems?.parameters} />
      {definition && names.length > 0 && (
        <section aria-label={texts.parameters}>
          <ParameterFields
            action={definition}
            values={step.parameters}
            disabled={readOnly}
            tenantId={tenantId}
            event={typeof values.workUnitEventTypeId === 'number' ? values.workUnitEventTypeId : undefined}
            onChange={(name, value) => state.setParameter(key, name, value)}
          />
          <p className="faint form-note">{texts.parametersHelp}</p>
        </section>
      )}
      <details className="step-more" open={moreProblems.some((name) => problems?.[name]) || undefined}>
        <summary>{t.more}</summary>
        <div className="form-grid">
          {one('summary')}
          {isAutomatic ? one('stopWhen') : one('repeatable', { help: texts.repeatableHelp })}
          {isAutomatic && one('repeatEvery')}
          {isAutomatic && one('repeatTimes')}
          {one('onlySeverities', { wide: true })}
          {one('onlyStates', { wide: true })}
          {one('hours')}
          {one('hoursScheduleId', { disabled: values.hours === 'Any' })}
          {isAutomatic && one('onFailure')}
          {isAutomatic && one('onLate')}
          {isAutomatic && one('lateAfter')}
        </div>
      </details>
    </div>
  );
}
