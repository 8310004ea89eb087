/** The operation, package or version of a campaign, of those that its devices have or can have. */
import type { CampaignChoices, StartCampaign } from '@cloudfit/contract/actions/devices.ts';
import type { CampaignKind } from '@cloudfit/contract/enums.ts';
import { campaignTexts as t } from '@cloudfit/contract/messages/campaigns.en.ts';
import { Field } from '../../components/field.tsx';
import { Select, type SelectChoice } from '../../components/fields/select.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';

interface SubjectChoiceProps {
  label: string;
  value: string | undefined;
  /** Text of the empty choice. */
  none?: string;
  /** Whether the field takes the focus when it appears. */
  isFirst?: boolean;
  choices: readonly SelectChoice[];
  onChange: (id: string | undefined) => void;
}

function SubjectChoice({ label, value, none = t.choose, isFirst = false, choices, onChange }: SubjectChoiceProps) {
  return (
    <Field label={label} required={none === t.choose}>
      {(aria) => (
        <Select
          {...aria}
          autoFocus={isFirst}
          value={value ?? ''}
          none={none}
          choices={choices}
          onChange={(chosen) => onChange(chosen || undefined)}
        />
      )}
    </Field>
  );
}

export type SubjectField =
  | 'operationId'
  | 'label'
  | 'addMissing'
  | 'packageId'
  | 'packageVersionId'
  | 'disableOperations'
  | 'deviceOperationIds'
  | 'traceMinutes'
  | 'addTags'
  | 'removeTags'
  | 'locationId'
  | 'subscriptionId';

/** The subject of the campaign, as far as it is chosen. */
export type ChosenSubject = Pick<StartCampaign, SubjectField>;

interface SubjectFieldsProps {
  kind: CampaignKind;
  /** Number of devices of the campaign. */
  total: number;
  choices: CampaignChoices;
  subject: ChosenSubject;
  onChange: (next: ChosenSubject) => void;
}

function OperationFields({ total, choices: { operations }, subject, onChange }: Omit<SubjectFieldsProps, 'kind'>) {
  if (operations.length === 0) return <EmptyState small title={t.noOperations} />;
  const chosen = operations.find((operation) => operation.operationId === subject.operationId);
  const labels = chosen?.labels ?? [];
  return (
    <div className="form-grid">
      <SubjectChoice
        isFirst
        label={t.operation}
        value={subject.operationId}
        choices={operations.map((operation) => ({
          value: operation.operationId,
          label: t.onDevices(
            operation.name === operation.packageName ? operation.name : `${operation.packageName}: ${operation.name}`,
            operation.devices,
          ),
        }))}
        onChange={(operationId) => {
          const isOnNone = operations.find((operation) => operation.operationId === operationId)?.devices === 0;
          onChange(operationId ? { operationId, ...(isOnNone ? { addMissing: true } : {}) } : {});
        }}
      />
      {labels.length > 0 && (
        <SubjectChoice
          label={t.label}
          value={subject.label}
          none={t.anyLabel}
          choices={labels.map((label) => ({ value: label, label }))}
          onChange={(label) => {
            const { label: _before, ...others } = subject;
            onChange(label ? { ...others, label } : others);
          }}
        />
      )}
      {chosen?.addable && chosen.devices < total && (
        <Checkbox
          label={t.addMissing(total - chosen.devices)}
          checked={subject.addMissing ?? false}
          onChange={(checked) => {
            const { addMissing: _before, ...others } = subject;
            onChange(checked ? { ...others, addMissing: true } : others);
          }}
        />
      )}
    </div>
  );
}

function PackageFields({ kind, choices, subject, onChange }: SubjectFieldsProps) {
  const isRemoval = kind === 'RemovePackage';
  const packages = choices.packages.filter((item) => !isRemoval || item.devices > 0);
  if (packages.length === 0) return <EmptyState small title={t.noPackages} />;
  const versions = packages.find((candidate) => candidate.packageId === subject.packageId)?.versions ?? [];
  return (
    <div className="form-grid">
      <SubjectChoice
        isFirst
        label={t.package}
        value={subject.packageId}
        choices={packages.map((item) => ({ value: item.packageId, label: t.onDevices(item.name, item.devices) }))}
        onChange={(packageId) => {
          const [newest] = packages.find((candidate) => candidate.packageId === packageId)?.versions ?? [];
          onChange(packageId ? { packageId, ...(isRemoval || !newest ? {} : { packageVersionId: newest.packageVersionId }) } : {});
        }}
      />
      {!isRemoval && subject.packageId && (
        <SubjectChoice
          label={t.version}
          value={subject.packageVersionId}
          choices={versions.map((version) => ({ value: version.packageVersionId, label: t.onDevices(version.version, version.devices) }))}
          onChange={(packageVersionId) => onChange({ packageId: subject.packageId, ...(packageVersionId ? { packageVersionId } : {}) })}
        />
      )}
    </div>
  );
}

export function SubjectFields(props: SubjectFieldsProps) {
  return props.kind === 'RunOperation' ? <OperationFields {...props} /> : <PackageFields {...props} />;
}
