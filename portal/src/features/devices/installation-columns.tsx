import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../../components/button.tsx';
import { Chip, type Tone } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { Select } from '../../components/fields/select.tsx';
import { chosenVersion, type Choices, type Install } from './use-installations.ts';

const t = deviceTexts.installations;

const tones: Record<Install['installPackage']['installStatus'], Tone> = {
  AvailableForInstall: 'plain',
  InstallPending: 'info',
  Downloading: 'info',
  Verifying: 'info',
  Installing: 'info',
  Checking: 'info',
  Installed: 'ok',
  InstallFailed: 'danger',
  RolledBack: 'danger',
  UninstallPending: 'warn',
  Uninstalling: 'warn',
  UninstallFailed: 'danger',
};

interface WishEditing {
  choices: Choices;
  /** The server's errors, by package. */
  refused: Readonly<Record<string, string>>;
  choose: (packageId: string, versionId: string) => void;
  /** Saves the wish of a failed installation again. */
  retry: (install: Install['installPackage']) => void;
  readOnly: boolean;
}

const failedStatuses: readonly Install['installPackage']['installStatus'][] = ['InstallFailed', 'RolledBack', 'UninstallFailed'];

function VersionSelect({ install, editing }: { install: Install; editing: WishEditing }) {
  const { packageId, packageName } = install.installPackage;
  const error = editing.refused[packageId];
  const noteId = `refused-${packageId}`;
  return (
    <span className="version-choice">
      <Select
        aria-label={t.versionOf(packageName)}
        {...(error ? { 'aria-invalid': true, 'aria-describedby': noteId } : {})}
        value={editing.choices[packageId] ?? chosenVersion(install.installPackage)}
        disabled={editing.readOnly}
        none={t.none}
        choices={install.packageVersions.map(({ version, packageVersionId }) => ({ value: packageVersionId, label: version }))}
        onChange={(versionId) => editing.choose(packageId, versionId)}
      />
      {error && (
        <small id={noteId} className="wrong">
          {error}
        </small>
      )}
    </span>
  );
}

function installedText({ installPackage, packageVersions }: Install): string | undefined {
  return packageVersions.find((packageVersion) => packageVersion.packageVersionId === installPackage.installedVersionId)?.version;
}

function Status({ install }: { install: Install['installPackage'] }) {
  const { installStatus, progress, statusChanged } = install;
  return (
    <span className="install-status">
      <Chip tone={tones[installStatus]} dot={installStatus !== 'AvailableForInstall'}>
        {progress === null ? t.statuses[installStatus] : `${t.statuses[installStatus]} ${progress} %`}
      </Chip>
      {statusChanged && installStatus !== 'AvailableForInstall' && (
        <small className="faint">
          <RelativeTime value={statusChanged} />
        </small>
      )}
    </span>
  );
}

/** Notes below the name of a package: the operations that need it, the detail of its status, the last failure, and Retry. */
function Notes({ install, editing }: { install: Install['installPackage']; editing: WishEditing }) {
  const { statusDetail, operations, packageVersionId, installStatus, failure, failed: failedAt } = install;
  return (
    <>
      {packageVersionId !== null && operations > 0 && <small className="faint">{t.needed(operations)}</small>}
      {statusDetail && <small className="install-reason">{statusDetail}</small>}
      {failure !== null && failedAt !== null && !failedStatuses.includes(installStatus) && (
        <small className="muted">
          {t.failedBefore} {failure} <RelativeTime value={failedAt} />
        </small>
      )}
      {failedStatuses.includes(installStatus) && !editing.readOnly && (
        <Button small onClick={() => editing.retry(install)}>
          {t.retry}
        </Button>
      )}
    </>
  );
}

export function installationColumns(editing: WishEditing, isPhone: boolean): readonly TableColumn<Install>[] {
  return [
    {
      id: 'package',
      header: t.package,
      width: 120,
      grow: true,
      tone: 'strong',
      cell: (install) => (
        <span className="package-of">
          <span className="ellipsis" title={install.installPackage.packageName}>
            {install.installPackage.packageName}
          </span>
          {isPhone && <Status install={install.installPackage} />}
          <Notes install={install.installPackage} editing={editing} />
        </span>
      ),
    },
    {
      id: 'installed',
      header: t.installed,
      width: 72,
      below: 'sm',
      tone: 'soft',
      cell: (install) => <span className="num">{installedText(install) ?? en.common.none}</span>,
    },
    { id: 'version', header: t.version, width: 128, cell: (install) => <VersionSelect install={install} editing={editing} /> },
    {
      id: 'status',
      header: t.status,
      width: 148,
      below: 'sm',
      cell: ({ installPackage }) => <Status install={installPackage} />,
    },
  ];
}
