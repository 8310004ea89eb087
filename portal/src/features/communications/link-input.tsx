import { useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { communicationsEn } from '@cloudfit/contract/messages/communications.en.ts';
import { and, contains, eq, or } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { fetchPage } from '../../rows/use-rows.ts';

const t = communicationsEn.workUnits;
const debounceMs = 250;
const maxChoices = 12;

interface LinkInputProps {
  tenantId: string;
  linked: readonly number[];
  busy: boolean;
  onChoose: (workUnitId: number) => void;
}

/** Searches the tenant's work units by title or number, newest first, and links the chosen one. */
export function LinkInput({ tenantId, linked, busy, onChoose }: LinkInputProps) {
  const [typed, setTyped] = useState('');
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), debounceMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const number = search.replace(/^#/, '');
  const matching = search
    ? or(contains(workUnits, 'title', search), /^\d{1,15}$/.test(number) ? eq(workUnits, 'publicWorkUnitId', number) : undefined)
    : undefined;
  const { data = [], isFetching } = useQuery({
    queryKey: [workUnits.name, 'toLink', tenantId, search],
    queryFn: async ({ signal }) =>
      (
        await fetchPage(
          workUnits,
          { filter: and(eq(workUnits, 'tenantId', tenantId), matching), orderBy: 'created desc', top: maxChoices },
          signal,
        )
      ).rows,
    enabled: opened,
    placeholderData: (before) => before,
  });
  const choices = data
    .filter((unit) => !linked.includes(unit.workUnitId))
    .map((unit) => ({ value: unit.workUnitId, label: `#${unit.publicWorkUnitId} ${unit.title}`, hint: unit.stateId }));
  return (
    <div className="link-input">
      <Field label={t.find}>
        {(aria) => (
          <ComboBox
            // A new key after each link empties the input for the next work unit.
            key={linked.length}
            aria={aria}
            choices={choices}
            value={null}
            filtered
            loading={isFetching}
            disabled={busy}
            placeholder={t.findPlaceholder}
            onOpen={() => setOpened(true)}
            onType={setTyped}
            onChange={(choice) => {
              setTyped('');
              if (choice) onChoose(Number(choice.value));
            }}
          />
        )}
      </Field>
    </div>
  );
}
