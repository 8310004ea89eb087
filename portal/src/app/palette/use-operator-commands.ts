/** Commands for operators that are typed in the palette: they show the work units that fit, and complete the text. */
import { useNavigate } from 'react-router';
import { operatorTexts as t } from '@cloudfit/contract/messages/operators.en.ts';
import { useMay, useTenants } from '../../api/lookups.ts';
import { toast } from '../../components/toasts.tsx';
import { workUnitsAddress } from '../../features/work-units/list-address.ts';
import { workUnitsView } from '../../features/work-units/work-units.view.tsx';
import { initialState } from '../../filters/list-state.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { applyOperators } from '../../operators/apply-operators.ts';
import { completionsOf, valueBeingTyped } from '../../operators/completions.ts';
import { hasOperators } from '../../operators/read-search.ts';
import { useChosenContext } from '../shell/use-chosen-context.ts';
import type { Command } from './command.ts';

export function useOperatorCommands(text: string): readonly Command[] {
  const navigate = useNavigate();
  const { user } = useChosenContext();
  const { data: tenants = [] } = useTenants();
  const isIn = hasOperators(text);
  const typed = valueBeingTyped(workUnitsView, text);
  if (!useMay()('WorkUnits', 'view') || (!isIn && !typed)) return [];
  const show = async () => {
    try {
      const applied = await applyOperators(workUnitsView, text, { filters: {}, quick: [] }, user);
      if ('problem' in applied) toast.error(applied.problem);
      else void navigate(`/workunitsv2?${workUnitsAddress.write(new URLSearchParams(), { ...initialState(workUnitsView), ...applied })}`);
    } catch (error) {
      toastFailure(error);
    }
  };
  const names = typed?.operator.name === 'tenantId' ? tenants.map(({ name }) => name) : [];
  return [
    ...(isIn ? [{ id: 'operators', label: t.show(text.trim()), icon: 'search', run: () => void show() } as const] : []),
    ...completionsOf(workUnitsView, text, names).map((item): Command => ({
      id: `complete-${item.text}`,
      label: item.label,
      icon: 'right',
      hint: item.hint,
      typeOn: item.text,
      run: () => undefined,
    })),
  ];
}
