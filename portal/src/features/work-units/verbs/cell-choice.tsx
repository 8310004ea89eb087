import type { ReactNode } from 'react';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { unitVerbTexts as t } from '@cloudfit/contract/messages/unit-verbs.en.ts';
import { useMay } from '../../../api/lookups.ts';
import { PendingChip } from '../../../components/chips.tsx';
import { nearing } from '../../../components/overlay/floating.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { openChoice, type ChosenField } from './choice.ts';
import { usePendingField } from './pending.ts';
import './cell-choice.css';

interface CellChoiceProps {
  unit: PanelWorkUnit;
  field: ChosenField;
  children: ReactNode;
}

/** A value in a row that a click changes there, without opening the unit. */
export function CellChoice({ unit, field, children }: CellChoiceProps) {
  const may = useMay();
  const pending = usePendingField(unit.workUnitId, field);
  if (pending !== undefined) return <PendingChip>{pending}</PendingChip>;
  if (!may('WorkUnits', 'edit')) return children;
  return (
    <button
      type="button"
      className="cell-choice"
      data-choice={field}
      aria-haspopup={field === 'assignedTo' ? 'dialog' : 'menu'}
      {...nearing}
      onClick={(event) => openChoice({ kind: field, anchor: event.currentTarget, units: [unit] })}
    >
      {children}
      <span className="visually-hidden">{t.cell(workUnits.fields[field].label, unit.publicWorkUnitId)}</span>
    </button>
  );
}
