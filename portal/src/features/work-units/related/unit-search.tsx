import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { and, compare, eq } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { ComboBox } from '../../../components/combo-box.tsx';
import { Field } from '../../../components/field.tsx';
import { searchUnits } from '../../../entities/work-units/search-units.ts';
import { useDebounced } from '../../../hooks/use-debounced.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const searchDebounceMs = 250;

interface UnitSearchProps {
  label: string;
  /** Its tenant is searched, without the unit itself. */
  unit: Pick<PanelWorkUnit, 'tenantId' | 'workUnitId'>;
  onChoose: (chosen: Pick<PanelWorkUnit, 'workUnitId' | 'publicWorkUnitId' | 'title'>) => void;
}

/** Searches another unit of the same tenant by its number or title. */
export function UnitSearch({ label, unit: { tenantId, workUnitId }, onChoose }: UnitSearchProps) {
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed, searchDebounceMs).trim();
  const { data: units = [], isFetching } = useQuery({
    queryKey: [workUnits.name, 'search', workUnitId, search],
    queryFn: ({ signal }) =>
      searchUnits(and(eq(workUnits, 'tenantId', tenantId), compare(workUnits, 'workUnitId', 'ne', workUnitId)), search, signal),
    enabled: search !== '',
    staleTime: 30_000,
  });
  return (
    <Field label={label}>
      {(aria) => (
        <ComboBox
          choices={units.map((unit) => ({
            value: unit.workUnitId,
            label: unit.title,
            hint: `#${unit.publicWorkUnitId} · ${choiceText(unit.stateId)}`,
          }))}
          value={null}
          filtered
          loading={isFetching || typed.trim() !== search}
          placeholder={workUnitPanelTexts.related.linkPlaceholder}
          aria={aria}
          onType={setTyped}
          onChange={(choice) => {
            const chosen = choice && units.find((unit) => unit.workUnitId === Number(choice.value));
            if (!chosen) return;
            setTyped('');
            onChoose(chosen);
          }}
        />
      )}
    </Field>
  );
}
