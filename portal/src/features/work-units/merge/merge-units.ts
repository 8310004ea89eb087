/** Merges work units: a selection into its oldest open one, a single one into another that the person has chosen. */
import { mergeWorkUnits } from '@cloudfit/contract/calls.ts';
import { mergeTexts as t } from '@cloudfit/contract/messages/merge.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call } from '../../../api/call.ts';
import { command } from '../../../calls/command.ts';
import { toast } from '../../../components/toasts.tsx';
import { isOpen } from '../verbs/unit-target.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

type UnitOfMerge = Pick<PanelWorkUnit, 'workUnitId' | 'publicWorkUnitId' | 'title'>;

interface Merging {
  duplicates: readonly UnitOfMerge[];
  into: UnitOfMerge;
}

const merge = command(
  ({ duplicates, into }: Merging) => call(mergeWorkUnits, { id: into.workUnitId, ids: duplicates.map(({ workUnitId }) => workUnitId) }),
  {
    confirm: ({ duplicates, into }) => ({
      title: t.title(duplicates[0]?.publicWorkUnitId ?? 0, duplicates.length, into.publicWorkUnitId),
      text: t.text(duplicates.length, into.publicWorkUnitId, into.title),
      yes: t.yes,
    }),
    done: (_, { duplicates, into }) => t.done(duplicates.length, into.publicWorkUnitId),
    refreshes: [workUnits.name],
  },
);

/** Returns whether the unit was merged. */
export const mergeInto = async (unit: UnitOfMerge, into: UnitOfMerge): Promise<boolean> =>
  (await merge({ duplicates: [unit], into })) !== undefined;

/** Returns whether the units were merged. */
export async function mergeSeveral(units: readonly PanelWorkUnit[]): Promise<boolean> {
  const [into, ...duplicates] = units.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || a.publicWorkUnitId - b.publicWorkUnitId);
  if (!into) return false;
  if (units.some(({ tenantId }) => tenantId !== into.tenantId)) {
    toast.warning(t.several);
    return false;
  }
  return (await merge({ duplicates, into })) !== undefined;
}
