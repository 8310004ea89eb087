/** The operations and packages of a policy, in its form. */
import { frequencyTypes, parameterSource } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import type { PolicyOperation, PolicyPackage } from '@cloudfit/contract/policies/settings.ts';
import { and, eq, or } from '@cloudfit/contract/query/build.ts';
import { operations } from '@cloudfit/contract/resources/operations.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { packageVersions } from '@cloudfit/contract/resources/package-versions.ts';
import type { policies } from '@cloudfit/contract/resources/policies.ts';
import { inLanguage, type Row } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { IconButton } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { useList } from '../../rows/use-rows.ts';
import { PolicyPreview } from './policy-preview.tsx';
import './policies.css';

type PolicyInputProps = InputProps<typeof policies>;

const tenantOf = ({ values }: Pick<PolicyInputProps, 'values'>) => (values as Partial<Row<typeof policies>>).tenantId;

const t = policyTexts;
const max = 1_000;
const frequencies = frequencyTypes.map((type) => inLanguage(type));

/** What devices of the tenant can have; for several tenants, what all of them have. */
const ofTenant = (resource: typeof operations | typeof packages, tenantId: string | null | undefined) =>
  or(tenantId ? eq(resource, 'tenantId', tenantId) : undefined, eq(resource, 'tenantId', null));

export type OfferedOperation = ExpandedRow<typeof operations, 'package'>;

export function useOperations(tenantId: string | null | undefined) {
  const filter = and(ofTenant(operations, tenantId), eq(operations, 'isDeleted', false));
  return useList(operations, { filter, expand: ['package'], orderBy: 'name asc', top: max });
}

const withItem = <T,>(list: readonly T[], at: number, change: Partial<T>): T[] =>
  list.map((item, index) => (index === at ? { ...item, ...change } : item));

/** A new operation of a policy, with the defaults of the catalogue; `others` are there already. */
export function operationFor(operation: OfferedOperation, others: readonly PolicyOperation[]): PolicyOperation {
  const { operationId, name, defaultInterval, frequencyDefinitions, parameterDefinitions } = operation;
  const times = others.filter((item) => item.operationId === operationId).length;
  const parameters = parameterDefinitions.flatMap(({ Name, Source, DefaultValue }) =>
    Source === parameterSource.securedValue || DefaultValue === '' ? [] : [{ Name, Source, Value: DefaultValue }],
  );
  const label = times === 0 ? name : `${name} ${times + 1}`;
  const frequencyTypeId = frequencyDefinitions.includes(2) ? 2 : (frequencyDefinitions[0] ?? 1);
  return { operationId, label, frequencyTypeId, interval: defaultInterval, parameters };
}

interface OperationFieldsProps {
  item: PolicyOperation;
  /** Undefined until the catalogue is there. */
  definition: OfferedOperation | undefined;
  onChange: (change: Partial<PolicyOperation>) => void;
  /** Whether somebody tried to save, so that what is missing is named. */
  isTried?: boolean;
}

const valueOf = ({ parameters }: PolicyOperation, name: string): unknown => parameters.find(({ Name }) => Name === name)?.Value;

/** Whether a parameter that the operation needs has no value. */
export const lacksParameter = (item: PolicyOperation, { parameterDefinitions }: OfferedOperation): boolean =>
  parameterDefinitions.some(({ Name, Source, Required }) => Required && Source !== parameterSource.securedValue && !valueOf(item, Name));

export function OperationFields({ item, definition, onChange, isTried = false }: OperationFieldsProps) {
  const allowed = frequencies.filter((type) => definition?.frequencyDefinitions.includes(type.value) ?? true);
  return (
    <>
      <TextField label={t.operation.label} value={item.label} maxLength={200} onChange={(label) => onChange({ label })} />
      <Field label={t.operation.frequency}>
        {(aria) => (
          <Select {...aria} choices={allowed} value={item.frequencyTypeId} onChange={(frequencyTypeId) => onChange({ frequencyTypeId })} />
        )}
      </Field>
      <TextField label={t.operation.interval} value={item.interval} onChange={(interval) => onChange({ interval })} />
      {(definition?.parameterDefinitions ?? [])
        .filter(({ Source }) => Source !== parameterSource.securedValue)
        .map(({ Name, Source, Required, Description }) => {
          const present = valueOf(item, Name);
          const others = item.parameters.filter((parameter) => parameter.Name !== Name);
          return (
            <TextField
              key={Name}
              label={Name}
              required={Required}
              help={Description}
              error={isTried && Required && !present ? en.form.requiredNamed(Name) : undefined}
              value={typeof present === 'string' ? present : ''}
              onChange={(Value) => onChange({ parameters: Value === '' ? others : [...others, { Name, Source, Value }] })}
            />
          );
        })}
    </>
  );
}

interface OperationChoiceProps {
  offered: readonly OfferedOperation[];
  isLoading: boolean;
  onChoose: (operation: OfferedOperation) => void;
}

export function OperationChoice({ offered, isLoading, onChoose }: OperationChoiceProps) {
  return (
    <Field label={t.operation.add} labelHidden>
      {(aria) => (
        <ComboBox
          choices={offered.map((item) => ({ value: item.operationId, label: item.name, hint: item.package?.name ?? '' }))}
          value={null}
          loading={isLoading}
          aria={aria}
          placeholder={t.operation.add}
          onChange={(choice) => {
            const operation = offered.find(({ operationId }) => operationId === choice?.value);
            if (operation) onChoose(operation);
          }}
        />
      )}
    </Field>
  );
}

export function OperationsInput({ value, onChange, disabled, values }: PolicyInputProps) {
  const chosen = (value ?? []) as readonly PolicyOperation[];
  const { data, isLoading } = useOperations(tenantOf({ values }));
  const offered = data?.rows ?? [];
  return (
    <div className="policy-things">
      {chosen.length === 0 && <p className="faint">{t.operation.none}</p>}
      {chosen.map((item, at) => {
        const definition = offered.find(({ operationId }) => operationId === item.operationId);
        return (
          <fieldset key={`${item.operationId} ${at}`} className="policy-thing" disabled={disabled}>
            <legend>{definition ? `${definition.name} (${definition.package?.name ?? ''})` : item.label}</legend>
            <OperationFields item={item} definition={definition} onChange={(change) => onChange(withItem(chosen, at, change))} />
            {!disabled && (
              <IconButton small icon="trash" label={t.operation.remove(item.label)} onClick={() => onChange(chosen.toSpliced(at, 1))} />
            )}
          </fieldset>
        );
      })}
      {!disabled && (
        <OperationChoice
          // A new key empties the field after each choice.
          key={chosen.length}
          offered={offered}
          isLoading={isLoading}
          onChoose={(operation) => onChange([...chosen, operationFor(operation, chosen)])}
        />
      )}
    </div>
  );
}

/** The choice of the newest version, whether it is a release or not. */
const preReleases = 'pre-releases';

function VersionChoice({
  item,
  name,
  onChange,
  disabled,
}: {
  item: PolicyPackage;
  name: string;
  onChange: (next: Pick<PolicyPackage, 'packageVersionId' | 'preReleases'>) => void;
  disabled: boolean;
}) {
  const { data } = useList(packageVersions, {
    filter: eq(packageVersions, 'packageId', item.packageId),
    orderBy: 'version desc',
    top: max,
  });
  const choices = [
    { value: preReleases, label: t.package.preReleases },
    ...(data?.rows ?? []).map(({ packageVersionId, version }) => ({ value: packageVersionId, label: version })),
  ];
  return (
    <Select
      aria-label={t.package.version(name)}
      choices={choices}
      none={t.package.newest}
      unlisted="…"
      value={item.packageVersionId ?? (item.preReleases ? preReleases : '')}
      disabled={disabled}
      onChange={(id) =>
        onChange(id === preReleases ? { packageVersionId: null, preReleases: true } : { packageVersionId: id || null, preReleases: false })
      }
    />
  );
}

export function PackagesInput({ value, onChange, disabled, values }: PolicyInputProps) {
  const chosen = (value ?? []) as readonly PolicyPackage[];
  const { data, isLoading } = useList(packages, { filter: ofTenant(packages, tenantOf({ values })), orderBy: 'name asc', top: max });
  const offered = data?.rows ?? [];
  return (
    <div className="policy-things">
      {chosen.length === 0 && <p className="faint">{t.package.none}</p>}
      {chosen.map((item, at) => {
        const name = offered.find(({ packageId }) => packageId === item.packageId)?.name ?? '…';
        return (
          <div key={item.packageId} className="row policy-package">
            <span className="grow ellipsis">{name}</span>
            <VersionChoice item={item} name={name} disabled={disabled} onChange={(next) => onChange(withItem(chosen, at, next))} />
            {!disabled && (
              <IconButton small icon="trash" label={t.package.remove(name)} onClick={() => onChange(chosen.toSpliced(at, 1))} />
            )}
          </div>
        );
      })}
      {!disabled && (
        <Field label={t.package.add} labelHidden>
          {(aria) => (
            <ComboBox
              key={chosen.length}
              choices={offered
                .filter(({ packageId }) => !chosen.some((item) => item.packageId === packageId))
                .map(({ packageId, name }) => ({ value: packageId, label: name }))}
              value={null}
              loading={isLoading}
              aria={aria}
              placeholder={t.package.add}
              onChange={(choice) => choice && onChange([...chosen, { packageId: String(choice.value), packageVersionId: null }])}
            />
          )}
        </Field>
      )}
    </div>
  );
}

/** The precedence, with what saving the form would change below it. */
export function RankInput({ value, onChange, onBlur, disabled, aria, values, row }: PolicyInputProps) {
  return (
    <>
      <input
        className="input"
        type="number"
        min={1}
        max={1_000}
        {...aria}
        value={typeof value === 'number' ? value : ''}
        readOnly={disabled}
        onBlur={onBlur}
        onChange={(event) => onChange(event.target.value === '' ? null : Number(event.target.value))}
      />
      <PolicyPreview values={values} row={row} />
    </>
  );
}
