/** Chooses what fills the placeholders of a test: example values, or the values of a row. */
import { useState } from 'react';
import { actionCatalogTexts } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { useMay } from '../../api/lookups.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { choicesOf, Select } from '../../components/fields/select.tsx';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { useTestSubjects, type SubjectKind, type TestSubjectChoice } from './use-test-subjects.ts';

const t = actionCatalogTexts.test.subject;
const searchDebounceMs = 250;

interface SubjectInputProps {
  tenantId: string | null;
  value: TestSubjectChoice;
  disabled: boolean;
  onChange: (subject: TestSubjectChoice) => void;
}

export function SubjectInput({ tenantId, value, disabled, onChange }: SubjectInputProps) {
  const may = useMay();
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  const search = useDebounced(typed, searchDebounceMs).trim();
  const { kind, choice } = value;
  const { data = [], isFetching } = useTestSubjects(opened ? kind : 'example', tenantId, search);
  const kinds: SubjectKind[] = [
    'example',
    ...(may('WorkUnits', 'view') ? (['workUnit'] as const) : []),
    ...(may('Rules', 'view') ? (['match'] as const) : []),
  ];
  return (
    <div className="form-grid">
      <Field label={t.kind}>
        {(aria) => (
          <Select
            {...aria}
            value={kind}
            disabled={disabled}
            choices={choicesOf(kinds, t.kinds)}
            onChange={(next) => {
              setTyped('');
              onChange({ kind: next, choice: null });
            }}
          />
        )}
      </Field>
      {kind !== 'example' && (
        <Field key={kind} label={t.choice[kind]} required help={t.help[kind]}>
          {(aria) => (
            <ComboBox
              choices={data}
              value={choice}
              filtered
              loading={isFetching || typed.trim() !== search}
              disabled={disabled}
              placeholder={t.search[kind]}
              aria={aria}
              onOpen={() => setOpened(true)}
              onType={setTyped}
              onChange={(next) => onChange({ kind, choice: next })}
            />
          )}
        </Field>
      )}
    </div>
  );
}
