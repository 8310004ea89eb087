import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { createRow } from '../../../api/row-calls.ts';
import { command } from '../../../calls/command.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { UnitSearch } from './unit-search.tsx';

const t = workUnitPanelTexts.related;

/** Searches other units of the tenant (WU-077), and links the chosen one to the unit at once. */
export function LinkUnit({ unit }: { unit: PanelWorkUnit }) {
  const { workUnitId } = unit;
  const add = command(
    (other: Pick<PanelWorkUnit, 'workUnitId' | 'publicWorkUnitId'>) =>
      createRow(workUnitRelations, { workUnitId, referenceId: String(other.workUnitId), referenceType: 'WorkUnit' }),
    { done: (_, other) => t.linked(other.publicWorkUnitId), failed: t.linkFailed, refreshes: [workUnits.name] },
  );
  return <UnitSearch label={t.link} unit={unit} onChoose={(other) => void add(other)} />;
}
