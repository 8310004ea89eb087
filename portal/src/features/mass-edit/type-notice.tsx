import { en } from '@cloudfit/contract/messages/en.ts';
import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { Button } from '../../components/button.tsx';
import type { MassEditUnit } from './mass-edit.rules.ts';

/** Units of different types cannot be saved together: offers to keep those of one type. */
export function TypeNotice({ units, onKeep }: { units: readonly MassEditUnit[]; onKeep: (type: number) => void }) {
  const types = Map.groupBy(units, (unit) => unit.workUnitTypeId);
  return (
    <div className="mass-notice bad" role="alert">
      <span>{t.mismatch}</span>
      {[...types].map(([type, of]) => {
        const name = of[0]?.workUnitType?.name ?? String(type);
        return (
          <Button key={type} small onClick={() => onKeep(type)}>
            {t.keep(of.length, name === 'Request' ? en.workUnits.userRequest : name)}
          </Button>
        );
      })}
    </div>
  );
}
