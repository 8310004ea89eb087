import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { ComboBox, type ComboChoice } from '../../components/combo-box.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { useActionChoices, type ActionChoice } from './use-protocol-actions.ts';

const choiceOf = ({ actionDefinitionId, name, description }: ActionChoice): ComboChoice => ({
  value: actionDefinitionId,
  label: name,
  ...(description ? { hint: description } : {}),
});

interface ActionInputProps extends Omit<InputProps, 'values' | 'row' | 'setValue'> {
  /** The protocol's tenant. */
  tenantId: string | null;
}

/** Chooses among the actions that the protocol may use. */
export function ActionInput({ value, onChange, onBlur, disabled, aria, tenantId, knownName }: ActionInputProps) {
  const [opened, setOpened] = useState(false);
  const hasValue = typeof value === 'string' && value !== '';
  const { data = [], isLoading } = useActionChoices(tenantId, opened || hasValue);
  const chosen = data.find((action) => action.actionDefinitionId === value);
  const label = chosen?.name ?? knownName ?? (isLoading ? en.auth.loading : String(value));
  return (
    <>
      <ComboBox
        choices={data.map(choiceOf)}
        value={hasValue ? { value, label } : null}
        loading={isLoading}
        disabled={disabled}
        aria={aria}
        onBlur={onBlur}
        onOpen={() => setOpened(true)}
        onChange={(choice) => onChange(choice ? choice.value : '')}
      />
      {opened && !isLoading && data.length === 0 && <span className="faint">{protocolTexts.actions.noActions}</span>}
    </>
  );
}
