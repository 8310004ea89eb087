/** The uploaded builds of a package. */
import { Link } from 'react-router';
import { deletePackageVersion } from '@cloudfit/contract/calls.ts';
import { labelOf, packageVersionStatus, packageVersionStatuses } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { command } from '../../calls/command.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Chip, type Tone } from '../../components/chips.tsx';
import { nearing } from '../../components/overlay/floating.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { ImpactPanel } from '../../entities/impact/impact-panel.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { usePhone } from '../../components/use-phone.ts';
import { PartTable } from './part-table.tsx';
import { SignatureChip, useTrustedKeys } from './signature-chip.tsx';
import { sizeText } from '../../components/size-text.ts';
import { useVersions, type PackageVersion } from './use-package.ts';
import { useUploadPanel } from './use-upload-panel.ts';

const t = packageTexts.versions;
const { latest, archived, preRelease } = packageVersionStatus;
const tones: Record<number, Tone> = { [latest]: 'ok', [archived]: 'plain', [preRelease]: 'info' };

/** The columns of the versions. The version with the status Latest has no Delete button (PKG-015). */
function columnsOf(
  isPhone: boolean,
  keys: ReadonlySet<string> | undefined,
  remove?: (version: PackageVersion) => void,
): readonly TableColumn<PackageVersion>[] {
  return [
    {
      id: 'version',
      header: t.version,
      width: 108,
      grow: isPhone,
      tone: 'strong',
      cell: (row) => (
        <span className="title-cell">
          <span className="lines">
            <span className="num ellipsis">{row.version}</span>
            {isPhone && (
              <span className="phone-line ellipsis">{row.publisherName === null ? row.label : `${row.publisherName} · ${row.label}`}</span>
            )}
          </span>
        </span>
      ),
    },
    { id: 'label', header: t.name, width: 92, grow: true, below: 'sm', cell: (row) => <span title={row.label}>{row.label}</span> },
    {
      id: 'status',
      header: t.status,
      width: 104,
      cell: (row) => (
        <Chip tone={tones[row.packageVersionStatusId] ?? 'plain'} dot={row.packageVersionStatusId === latest}>
          {labelOf(packageVersionStatuses, row.packageVersionStatusId)}
        </Chip>
      ),
    },
    {
      id: 'size',
      header: t.size,
      width: 84,
      below: 'md',
      align: 'end',
      cell: (row) => <span className="num">{sizeText(Number(row.fileSize))}</span>,
    },
    {
      id: 'signature',
      header: t.signature,
      width: 132,
      below: 'sm',
      cell: (row) => <SignatureChip version={row} keys={keys} />,
    },
    { id: 'created', header: t.created, width: 92, below: 'md', cell: (row) => <RelativeTime value={row.created} /> },
    ...(remove
      ? [
          {
            id: 'actions',
            header: en.common.actions,
            width: 76,
            align: 'end' as const,
            cell: (row: PackageVersion) =>
              row.packageVersionStatusId !== latest && (
                <IconButton small icon="trash" label={t.deleteOne(row.version)} title={t.delete} {...nearing} onClick={() => remove(row)} />
              ),
          },
        ]
      : []),
  ];
}

const remove = command(({ packageId, packageVersionId }: PackageVersion) => call(deletePackageVersion, { packageId, packageVersionId }), {
  confirm: ({ version, packageVersionId }) => ({
    title: t.delete,
    text: t.deleteQuestion(version),
    details: <ImpactPanel entity="packageVersions" id={packageVersionId} change="delete" />,
    yes: en.common.delete,
    danger: true,
  }),
  done: () => t.deleted,
  refreshes: [packages.name],
});

export function VersionsTab({ row: { packageId, isBuiltIn } }: { row: { packageId: string; isBuiltIn: boolean } }) {
  const { data, error, refetch } = useVersions(packageId);
  const may = useMay();
  const { tenantId } = useScope();
  const isPhone = usePhone();
  const keys = useTrustedKeys();
  const { open } = useUploadPanel();
  const uploadButton = may(packages.area, 'create') && !isBuiltIn && (
    <Button small icon="plus" onClick={() => open(packageId)}>
      {packageTexts.upload.title}
    </Button>
  );
  return (
    <>
      {data && data.packageVersions.length > 0 && uploadButton && <div className="part-bar">{uploadButton}</div>}
      <PartTable
        label={t.label}
        columns={columnsOf(isPhone, keys, may(packages.area, 'delete') && !isBuiltIn ? (version) => void remove(version) : undefined)}
        rows={data?.packageVersions}
        rowKey={(version) => version.packageVersionId}
        rowName={(version) => version.version}
        error={error}
        onRetry={() => void refetch()}
        none={
          <EmptyState icon="packages" title={t.none} text={t.noneText}>
            {uploadButton}
          </EmptyState>
        }
      />
      {tenantId && data && data.packageVersions.length > 0 && may(devices.area, 'edit') && (
        <p className="faint install-hint">
          {t.installHint} <Link to={`/${tenantId}/devices`}>{t.toDevices}</Link> <Link to={`/${tenantId}/versionreport`}>{t.toReport}</Link>
        </p>
      )}
    </>
  );
}
