import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { and, compare, eq } from '@cloudfit/contract/query/build.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { createRow } from '../../../api/row-calls.ts';
import { command } from '../../../calls/command.ts';
import { ComboBox } from '../../../components/combo-box.tsx';
import { Field } from '../../../components/field.tsx';
import { useDebounced } from '../../../hooks/use-debounced.ts';
import { searchUnits } from '../../../entities/work-units/search-units.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const t = workUnitPanelTexts.related;
const searchDebounceMs = 250;

/** Searches other units of the tenant (WU-077), and links the chosen one to the unit at once. */
export function LinkUnit({ unit }: { unit: PanelWorkUnit }) {
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed, searchDebounceMs).trim();
  const { tenantId, workUnitId } = unit;
  const { data: units = [], isFetching } = useQuery({
    queryKey: [workUnits.name, 'search', workUnitId, search],
    queryFn: ({ signal }) =>
      searchUnits(and(eq(workUnits, 'tenantId', tenantId), compare(workUnits, 'workUnitId', 'ne', workUnitId)), search, signal),
    enabled: search !== '',
    staleTime: 30_000,
  });
  const add = command(
    (id: number) => {
      setTyped('');
      return createRow(workUnitRelations, { workUnitId, referenceId: String(id), referenceType: 'WorkUnit' });
    },
    {
      done: (_, id) => t.linked(units.find((unit) => unit.workUnitId === id)?.publicWorkUnitId ?? id),
      failed: t.linkFailed,
      refreshes: [workUnits.name],
    },
  );
  return (
    <Field label={t.link}>
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
          placeholder={t.linkPlaceholder}
          aria={aria}
          onType={setTyped}
          onChange={(choice) => choice && void add(Number(choice.value))}
        />
      )}
    </Field>
  );
}
