import { useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { queryClient } from '../api/query-client.ts';
import { onDemand } from '../components/on-demand.tsx';
import { MassEdit } from '../features/mass-edit/mass-edit.tsx';
import { prefetchWorkUnit } from '../features/work-units/panel/use-work-unit.ts';
import { workUnitPanel } from '../features/work-units/panel/work-unit-panel-lazy.tsx';
import { UnitChoices } from '../features/work-units/verbs/unit-choices.tsx';
import { workUnitsAddress } from '../features/work-units/list-address.ts';
import { WorkUnitsPage } from '../features/work-units/work-units-page.tsx';
import { workUnitsView } from '../features/work-units/work-units.view.tsx';
import { prefetchList } from './prefetch-list.ts';

const { Component: IntakePanel } = onDemand(() => import('../features/intake/intake-panel.tsx').then((module) => module.IntakePanel));

export const loadWorkUnits = (to: LoaderFunctionArgs): Promise<null> =>
  prefetchList(workUnitsView, workUnitsAddress, to, (id) => Promise.all([workUnitPanel.load(), prefetchWorkUnit(queryClient, Number(id))]));

/** Work units with the intake panel. A unit that is opened during a call lies over the intake, which stays open below. */
export function WorkUnitsRoute() {
  const [params] = useSearchParams();
  return (
    <>
      {params.has('intake') && <IntakePanel />}
      <WorkUnitsPage />
      <MassEdit />
      <UnitChoices />
    </>
  );
}
