import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeToChangeRequest } from '@cloudfit/contract/calls.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call } from '../../../api/call.ts';
import { toast } from '../../../components/toasts.tsx';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { saveFailureText, type PanelWorkUnit } from '../work-unit.rules.ts';

const t = workUnitPanelTexts.changeType;

/** Changes an incident into a change request, whose plan the next save requires (CHG-038..040). */
export function useChangeType(unit: PanelWorkUnit): () => void {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: () => call(changeToChangeRequest, { workUnitId: unit.workUnitId }),
    onSuccess: async () => {
      void client.invalidateQueries({ queryKey: [workUnits.name] });
      // A save before the form has the fields of a change request would not ask for its plan.
      await client.refetchQueries({ queryKey: [workUnits.name, 'row', String(unit.workUnitId)], type: 'active' }, { cancelRefetch: false });
      tellOfRow(unit, t.done);
    },
    onError: (error) => toastFailure(error, saveFailureText(error)),
  });
  return () => {
    if (unit.workUnitTypeId === workUnitType.changeRequest) toast.warning(t.already);
    else if (!change.isPending) change.mutate();
  };
}
