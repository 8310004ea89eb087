/** Which version of each package should be on a device, and which one is installed; as a panel, or as a tab of the device. */
import { useState, type SyntheticEvent } from 'react';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { confirm } from '../../components/overlay/confirm.tsx';
import { usePhone } from '../../components/use-phone.ts';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { DeviceSidePanel, KnownDevice, type DevicePanelProps } from './device-panel.tsx';
import { installationColumns } from './installation-columns.tsx';
import type { Device } from './use-device.ts';
import { chosenVersion, useInstallations, useSaveInstallations, type Choices, type Install } from './use-installations.ts';
import './device-panels.css';

const t = deviceTexts.installations;
const formId = 'installations';

/** The server's errors about items of the sent list, by package. */
function refusedItems(error: unknown, sent: readonly { packageId: string }[]): Record<string, string> {
  const details = error instanceof RequestFailed ? error.details : [];
  return Object.fromEntries(
    details.flatMap(({ target, message }) => {
      const item = sent[Number(/^items\.(\d+)\./.exec(target ?? '')?.[1])];
      return item && message ? [[item.packageId, message]] : [];
    }),
  );
}

interface InstallationsEditorProps {
  device: Device;
  /** Absent in a tab. */
  onClose?: DevicePanelProps['onClose'];
}

export function InstallationsEditor({ device, onClose }: InstallationsEditorProps) {
  const { deviceId } = device;
  const mayEdit = useMay()(devices.area, 'edit');
  const { data, error, refetch } = useInstallations(deviceId);
  const installs = data?.value;
  const save = useSaveInstallations(deviceId);
  const [choices, setChoices] = useState<Choices>({});
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});
  const changed = (installs ?? []).filter(
    ({ installPackage: one }) => (choices[one.packageId] ?? chosenVersion(one)) !== chosenVersion(one),
  );
  useUnsavedGuard(changed.length > 0, 'installations');

  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    const isNeeded = ({ packageId, operations }: Install['installPackage']) => (choices[packageId] ?? '') === '' && operations > 0;
    const needed = changed.map((item) => item.installPackage).filter(isNeeded);
    if (needed.length > 0) {
      const packages = needed.map(({ packageName, operationLabels }) => ({ name: packageName, operations: operationLabels }));
      const answer = await confirm({
        title: t.removeTitle,
        text: t.removeText(packages),
        yes: t.removeYes,
        no: en.common.cancel,
        danger: true,
      });
      if (!answer.yes) return;
    }
    const items = changed.map(({ installPackage: one }) => ({
      packageId: one.packageId,
      deviceId,
      packageVersionId: choices[one.packageId] ?? '',
      ...(isNeeded(one) ? { disableOperations: true } : {}),
    }));
    try {
      await save.mutateAsync(items);
      setChoices({});
      setRefused({});
      tellOfRow(device, t.saved(device.name));
    } catch (failure) {
      console.warn(failure);
      setRefused(refusedItems(failure, items));
      toastFailure(failure, t.failed);
    }
  };
  const choose = (packageId: string, versionId: string) => {
    setChoices((now) => ({ ...now, [packageId]: versionId }));
    setRefused((now) => Object.fromEntries(Object.entries(now).filter(([id]) => id !== packageId)));
  };
  const retry = ({ packageId, packageVersionId }: Install['installPackage']) => {
    const again = { packageId, deviceId, packageVersionId: packageVersionId ?? '' };
    save.mutateAsync([again]).then(
      () => tellOfRow(device, t.retried),
      (failure: unknown) => toastFailure(failure, t.failed),
    );
  };
  const columns = installationColumns({ choices, refused, choose, retry, readOnly: !mayEdit || save.isPending }, usePhone());

  const buttons = (
    <>
      {mayEdit && (
        <Button look="primary" type="submit" form={formId} disabled={changed.length === 0 || save.isPending}>
          {save.isPending ? en.common.saving : en.common.save}
        </Button>
      )}
      {onClose && <Button onClick={() => onClose()}>{changed.length > 0 ? en.common.cancel : en.common.close}</Button>}
      <span className="grow" />
      <span className="faint" aria-live="polite">
        {mayEdit ? changed.length > 0 && t.changed(changed.length) : en.form.noRight}
      </span>
    </>
  );
  const form = (
    <form id={formId} className={onClose ? 'body' : 'installations-tab'} noValidate onSubmit={(event) => void submit(event)}>
      {error && !installs ? (
        <ErrorState title={t.loadFailed} text={failureText(error)} onRetry={() => void refetch()} />
      ) : installs?.length === 0 ? (
        <EmptyState icon="packages" title={t.nothing} text={t.nothingText} />
      ) : (
        <>
          <p className="muted installations-text">{t.text}</p>
          <div className="installations">
            <DataTable<Install>
              label={t.action}
              columns={columns}
              rows={installs ?? []}
              rowKey={({ installPackage }) => installPackage.packageId}
              rowName={({ installPackage }) => installPackage.packageName}
              skeletonRows={installs ? 0 : 6}
            />
          </div>
        </>
      )}
    </form>
  );
  if (!onClose)
    return (
      <>
        {form}
        <div className="row installations-foot">{buttons}</div>
      </>
    );
  return (
    <DeviceSidePanel device={device} title={t.of(device.name)} onClose={onClose} footer={buttons}>
      {form}
    </DeviceSidePanel>
  );
}

export function InstallationsPanel({ deviceId, onClose }: DevicePanelProps) {
  return (
    <KnownDevice deviceId={deviceId} onClose={onClose}>
      {(device) => <InstallationsEditor device={device} onClose={onClose} />}
    </KnownDevice>
  );
}
