/** One action of the rule, with the parameters that the action declares. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { IconButton } from '../../../components/button.tsx';
import { ComboBox } from '../../../components/combo-box.tsx';
import { Field } from '../../../components/field.tsx';
import { parameterNames, presetParameters } from '../../../entities/executions/action-parameters.ts';
import { ParameterFields } from '../../../entities/executions/parameter-fields.tsx';
import type { ActionDraft } from './rule-draft.ts';
import type { RuleActions } from './use-action-choices.ts';
import { UnitPreview } from './unit-preview.tsx';
import type { RuleEditing } from './use-rule-editing.ts';

const t = ruleEditorTexts.actions;

interface ActionLineProps {
  editing: RuleEditing;
  actions: RuleActions;
  /** Undefined while the rule is being created. */
  ruleId: string | undefined;
  call: ActionDraft;
  /** The title of the list that the action is in. */
  title: string;
  /** The path of the action, such as `matchActions[0]`. */
  place: string;
  at: number;
  of: number;
  onChange: (call: ActionDraft) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

export function ActionLine({ editing, actions, ruleId, call, title, place, at, of, onChange, onMove, onRemove }: ActionLineProps) {
  const { values, problemAt, touch, readOnly } = editing;
  const { ActionDefinitionId: id, Parameters } = call;
  const action = actions.choices.find((choice) => choice.actionDefinitionId === id);
  const names = parameterNames(action?.inputParameters);
  const target = `${place}.ActionDefinitionId`;
  const problems = Object.fromEntries(
    names.flatMap((name) => {
      const message = problemAt(`${place}.Parameters.${name}`);
      return message ? [[name, message]] : [];
    }),
  );
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...rest } = Parameters;
    const isEmpty = value === null || value === undefined || value === '';
    onChange({ ...call, Parameters: isEmpty ? rest : { ...rest, [name]: value as string | number | boolean } });
  };
  return (
    <li>
      <div className="rule-action" role="group" aria-label={t.line(title, at + 1)}>
        <div className="rule-action-head">
          <Field label={t.action} labelHidden required error={problemAt(target)}>
            {(aria) => (
              <ComboBox
                choices={actions.choices.map(({ actionDefinitionId, name, description }) => ({
                  value: actionDefinitionId,
                  label: name,
                  ...(description ? { hint: description } : {}),
                }))}
                value={id ? { value: id, label: action?.name ?? (actions.isLoading ? en.auth.loading : id) } : null}
                loading={actions.isLoading}
                disabled={readOnly}
                aria={aria}
                placeholder={t.action}
                onBlur={() => touch(target)}
                onChange={(choice) => {
                  // Another action has other parameters, so they are reset.
                  if (choice && choice.value !== id)
                    onChange({ ...call, ActionDefinitionId: String(choice.value), Parameters: presetParameters(String(choice.value)) });
                }}
              />
            )}
          </Field>
          {!readOnly && (
            <span className="condition-tools">
              <IconButton small icon="sortUp" label={t.up(at + 1)} disabled={at === 0} onClick={() => onMove(-1)} />
              <IconButton small icon="sortDown" label={t.down(at + 1)} disabled={at === of - 1} onClick={() => onMove(1)} />
              <IconButton small icon="trash" label={t.remove(at + 1)} onClick={onRemove} />
            </span>
          )}
        </div>
        {problemAt(`${place}.Parameters`) && (
          <p className="notice error" role="alert">
            {problemAt(`${place}.Parameters`)}
          </p>
        )}
        {action && names.length > 0 && (
          <ParameterFields
            action={action}
            values={Parameters}
            disabled={readOnly}
            tenantId={values.tenantId}
            problems={problems}
            onChange={set}
          />
        )}
        {id === builtInAction.createWorkUnit && <UnitPreview editing={editing} ruleId={ruleId} action={call} />}
        {action && names.length === 0 && <p className="faint">{t.noParameters}</p>}
        {id && !action && !actions.isLoading && <p className="faint">{t.unknown}</p>}
      </div>
    </li>
  );
}
