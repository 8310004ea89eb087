/** What a configuration names and this installation lacks: each is mapped to something here, or left out of the rows. */
import { useState } from 'react';
import type { ImportMapping, ImportOutcome } from '@cloudfit/contract/configuration.ts';
import { configurationTexts as t } from '@cloudfit/contract/messages/configuration.en.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { references } from '@cloudfit/contract/resources/references.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { useChoices } from '../../rows/choices.ts';

type Missing = ImportOutcome['missing'][number];
/** A row of this installation in place of the missing one; null leaves it out. */
export type Chosen = ReadonlyMap<string, { resource: string; name: string; to: { value: string; label: string } | null }>;

const leaveOut = { value: '', label: t.leaveOut };

export function mappingOf(chosen: Chosen): ImportMapping {
  const mapping: ImportMapping = {};
  for (const [key, { resource, to }] of chosen) (mapping[resource] ??= {})[key] = to?.value ?? null;
  return mapping;
}

interface ImportMissingProps {
  missing: readonly Missing[];
  chosen: Chosen;
  /** Whether people and devices without a choice are made. */
  make: boolean;
  onMake: (make: boolean) => void;
  tenantId: string | undefined;
  onChoose: (chosen: Chosen) => void;
}

const canBeMade = ({ resource }: Missing): boolean => resource === 'people' || resource === 'devices';

export function ImportMissing({ missing, chosen, make, onMake, tenantId, onChoose }: ImportMissingProps) {
  const open = [
    ...[...chosen].map(([key, { resource, name }]) => ({ key, resource, name, rows: undefined })),
    ...missing.filter(({ key }) => !chosen.has(key)),
  ];
  if (open.length === 0 && !make) return null;
  return (
    <section className="import-missing" aria-label={t.missing}>
      <h3>{t.missing}</h3>
      <p className="faint">{t.missingText}</p>
      {(make || missing.some(canBeMade)) && <Checkbox label={t.make} checked={make} onChange={onMake} />}
      {make && <p className="faint">{t.makeHelp}</p>}
      {open.map(({ key, resource, name, rows }) => (
        <Substitute
          key={key}
          resource={resource}
          label={`${findResource(resource)?.label ?? resource}: ${name}`}
          help={rows === undefined ? undefined : t.namedBy(rows)}
          tenantId={tenantId}
          value={chosen.get(key)}
          onChange={(to) => {
            const next = new Map(chosen);
            if (to === undefined) next.delete(key);
            else next.set(key, { resource, name, to });
            onChoose(next);
          }}
        />
      ))}
    </section>
  );
}

interface SubstituteProps {
  resource: string;
  label: string;
  help: string | undefined;
  tenantId: string | undefined;
  value: { to: { value: string; label: string } | null } | undefined;
  onChange: (to: { value: string; label: string } | null | undefined) => void;
}

function Substitute({ resource, label, help, tenantId, value, onChange }: SubstituteProps) {
  const [search, setSearch] = useState('');
  const [isOpened, setOpened] = useState(false);
  const isKnown = references.some((reference) => reference.name === resource);
  const { choices, isLoading } = useChoices(isKnown ? resource : 'people', { search, tenantId, enabled: isOpened && isKnown });
  return (
    <Field label={label} help={help}>
      {(aria) => (
        <ComboBox
          aria={aria}
          choices={[leaveOut, ...(isKnown ? choices : [])]}
          value={value === undefined ? null : (value.to ?? leaveOut)}
          clearable
          loading={isLoading}
          placeholder={t.notDecided}
          onOpen={() => setOpened(true)}
          onType={setSearch}
          onChange={(choice) => {
            setSearch('');
            onChange(choice === null ? undefined : choice.value === '' ? null : { value: String(choice.value), label: choice.label });
          }}
        />
      )}
    </Field>
  );
}
