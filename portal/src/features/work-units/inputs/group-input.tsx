import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useAssignmentGroups } from '../../../api/lookups.ts';
import { confirm } from '../../../components/overlay/confirm.tsx';
import { toast } from '../../../components/toasts.tsx';
import type { InputProps } from '../../../forms/form-types.ts';
import { ChoiceSelect } from './choice-select.tsx';

/** The tenant's groups. A change asks whether to remove the assignee, if any, and to return the unit to New (WU-105..112). */
export function GroupInput({ value, onChange, onBlur, disabled, aria, values, setValue }: InputProps<typeof workUnits>) {
  const tenantId = typeof values.tenantId === 'string' ? values.tenantId : '';
  const { data: groups = [] } = useAssignmentGroups(tenantId);
  const change = async (next: string | null) => {
    onChange(next);
    if (!values.assignedTo) return;
    const isNew = values.stateId === 'New';
    const answer = await confirm({
      title: workUnitTexts.groupTitle,
      text: isNew ? workUnitTexts.groupQuestion : workUnitTexts.groupQuestionState,
    });
    if (!answer.yes) return;
    setValue('assignedTo', null);
    if (!isNew) setValue('stateId', 'New');
    toast.success(isNew ? workUnitTexts.groupDone : workUnitTexts.groupDoneState);
  };
  return (
    <ChoiceSelect
      choices={groups.map((group) => ({ value: group, label: group }))}
      {...{ value, onBlur, aria }}
      none={tenantId ? en.common.none : workUnitTexts.pickTenantFirst}
      disabled={disabled || !tenantId}
      onChange={(next) => void change(next === null ? null : String(next))}
    />
  );
}
