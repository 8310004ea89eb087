import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { workUnitPanelTexts as t } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import { PersonInput } from '../../../entities/people/person-input.tsx';

/** Chooses a person of a work unit, nobody, or oneself. */
export function UnitPersonInput(props: InputProps<typeof workUnits>) {
  const isAssignee = props.name === 'assignedTo';
  return (
    <PersonInput
      {...props}
      placeholder={isAssignee ? en.workUnits.unassigned : t.nobody}
      ownHint={isAssignee ? workUnitTexts.assignToMe : t.me}
    />
  );
}
