import { useState } from 'react';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { ComboBox } from '../../../components/combo-box.tsx';
import { Field } from '../../../components/field.tsx';
import { toast } from '../../../components/toasts.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { useDebounced } from '../../../hooks/use-debounced.ts';
import { useLinks, useUnitSearch } from './use-links.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const t = workUnitPanelTexts.related;
const searchDebounceMs = 250;

/** Searches work units, and links the chosen one to the unit at once. */
export function LinkUnit({ unit }: { unit: PanelWorkUnit }) {
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed, searchDebounceMs).trim();
  const { data: units = [], isFetching } = useUnitSearch(unit, search);
  const { link } = useLinks(unit);
  const add = async (id: number) => {
    setTyped('');
    try {
      await link.mutateAsync(id);
      toast.success(t.linked(units.find((one) => one.workUnitId === id)?.publicWorkUnitId ?? id));
    } catch (error) {
      toastFailure(error, t.linkFailed);
    }
  };
  return (
    <Field label={t.link}>
      {(aria) => (
        <ComboBox
          choices={units.map((one) => ({ value: one.workUnitId, label: one.title, hint: `#${one.publicWorkUnitId} · ${one.stateId}` }))}
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
