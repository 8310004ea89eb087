import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { IconButton } from '../../components/button.tsx';
import { SeverityChip } from '../../components/chips.tsx';
import type { MassEditUnit } from './mass-edit.rules.ts';

interface MassEditUnitsProps {
  units: readonly MassEditUnit[];
  reasons: ReadonlyMap<number, string>;
  disabled: boolean;
  onLeaveOut: (id: number) => void;
}

/** The selected units; refused ones come first, with the reason. */
export function UnitList({ units, reasons, disabled, onLeaveOut }: MassEditUnitsProps) {
  const sorted = [...units].sort((a, b) => Number(reasons.has(b.workUnitId)) - Number(reasons.has(a.workUnitId)));
  return (
    <ul className="unit-list">
      {sorted.map((unit) => {
        const reason = reasons.get(unit.workUnitId);
        return (
          <li key={unit.workUnitId} className={reason ? 'refused' : undefined}>
            <span className="num faint">#{unit.publicWorkUnitId}</span>
            <SeverityChip value={unit.severityId} />
            <span className="what">
              <span className="ellipsis" title={unit.title}>
                {unit.title}
              </span>
              {reason && <span className="reason">{reason}</span>}
            </span>
            <span className="faint">{choiceText(unit.stateId)}</span>
            <IconButton
              icon="close"
              small
              label={t.leaveOut(unit.publicWorkUnitId)}
              disabled={disabled}
              onClick={() => onLeaveOut(unit.workUnitId)}
            />
          </li>
        );
      })}
    </ul>
  );
}
