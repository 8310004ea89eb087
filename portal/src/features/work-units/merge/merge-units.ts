/** Merges work units: a selection into its oldest one, a single one into another that the person names by its number. */
import { mergeWorkUnits } from '@cloudfit/contract/calls.ts';
import { mergeTexts as t } from '@cloudfit/contract/messages/merge.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { and, compare, eq } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call } from '../../../api/call.ts';
import { refresh } from '../../../calls/command.ts';
import { confirm } from '../../../components/overlay/confirm.tsx';
import { toast } from '../../../components/toasts.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { fetchPage } from '../../../rows/use-rows.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

interface Survivor {
  workUnitId: number;
  publicWorkUnitId: number;
}

async function askForOne(unit: PanelWorkUnit): Promise<Survivor | undefined> {
  const answer = await confirm({
    title: t.title(1, unit.publicWorkUnitId),
    text: t.textOfOne,
    yes: t.yes,
    no: en.common.cancel,
    inputLabel: t.input,
    inputMax: 12,
  });
  if (!answer.yes) return undefined;
  const number = Number(answer.input.replace(/^#/, ''));
  const others = and(eq(workUnits, 'tenantId', unit.tenantId), compare(workUnits, 'workUnitId', 'ne', unit.workUnitId));
  const filter = and(others, eq(workUnits, 'publicWorkUnitId', Number.isSafeInteger(number) ? number : 0));
  const { rows } = await fetchPage(workUnits, { filter, select: ['workUnitId', 'publicWorkUnitId'], top: 1 });
  if (!rows[0]) toast.warning(t.noUnit(answer.input));
  return rows[0];
}

async function askForSeveral(units: readonly PanelWorkUnit[], into: PanelWorkUnit): Promise<Survivor | undefined> {
  const { publicWorkUnitId, title } = into;
  const answer = await confirm({
    title: t.title(units.length, publicWorkUnitId),
    text: t.textOfSeveral(units.length - 1, publicWorkUnitId, title),
    yes: t.yes,
    no: en.common.cancel,
  });
  return answer.yes ? into : undefined;
}

/** Returns whether units were merged. */
export async function merge(units: readonly PanelWorkUnit[]): Promise<boolean> {
  const [oldest] = units.toSorted((a, b) => a.publicWorkUnitId - b.publicWorkUnitId);
  if (!oldest) return false;
  if (units.some(({ tenantId }) => tenantId !== oldest.tenantId)) {
    toast.warning(t.several);
    return false;
  }
  try {
    const into = await (units.length === 1 ? askForOne(oldest) : askForSeveral(units, oldest));
    if (!into) return false;
    const ids = units.map(({ workUnitId }) => workUnitId).filter((id) => id !== into.workUnitId);
    await call(mergeWorkUnits, { id: into.workUnitId, ids });
    toast.success(t.done(ids.length, into.publicWorkUnitId));
    return true;
  } catch (error) {
    console.warn(error);
    toastFailure(error);
    return false;
  } finally {
    await refresh([workUnits.name]);
  }
}
