/** The panel that sets for how long the agent of a device writes trace entries. */
import { toggleTrace } from '@cloudfit/contract/calls.ts';
import { traceMinutes } from '@cloudfit/contract/enums.ts';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { f } from '@cloudfit/contract/resource.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { ActionForm } from '../../calls/action-form.tsx';
import { useActionForm } from '../../calls/use-action-form.ts';
import { Chip } from '../../components/chips.tsx';
import { FormFooter } from '../../components/form-footer.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { choicesOf } from '../../components/fields/select.tsx';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { DeviceSidePanel, KnownDevice, type DevicePanelProps } from './device-panel.tsx';
import { isTraced, type Device } from './use-device.ts';
import './device-panels.css';

const t = deviceTexts.tracing;
const fields = { traceMinutes: f.code(t.choose, choicesOf(traceMinutes, t.choices), { initial: -1 }) };
const layout = {};

function Now({ device }: { device: Device }) {
  const now = useNow();
  if (!isTraced(device, now))
    return (
      <p className="tracing-now">
        <Chip>{t.off}</Chip>
      </p>
    );
  return (
    <p className="tracing-now">
      <Chip tone="info" dot>
        <span>
          {t.until} <RelativeTime value={device.traceExpiration} />
        </span>
      </Chip>
    </p>
  );
}

function TracingEditor({ device, onClose }: { device: Device; onClose: DevicePanelProps['onClose'] }) {
  const mayEdit = useMay()(devices.area, 'edit');
  const { isBusy, ...form } = useActionForm((values) => call(toggleTrace, { id: device.deviceId, ...values }), {
    draft: `tracing.${device.deviceId}`,
    fields,
    layout,
    readOnly: !mayEdit,
    failed: t.failed,
    onDone: () => {
      tellOfRow(device, t.saved(device.name));
      onClose({ saved: true });
    },
    refreshes: [devices.name],
  });
  const { id, isDirty, dropDraft } = form.state;
  useUnsavedGuard(isDirty, 'tracing', dropDraft);
  return (
    <DeviceSidePanel
      device={device}
      title={t.of(device.name)}
      onClose={onClose}
      footer={<FormFooter formId={id} isNew={false} isDirty={isDirty} isSaving={isBusy} readOnly={!mayEdit} onClose={() => onClose()} />}
    >
      <div className="body">
        <ActionForm {...form}>
          <p className="muted">{t.text}</p>
          <Now device={device} />
        </ActionForm>
      </div>
    </DeviceSidePanel>
  );
}

export function TracingPanel({ deviceId, onClose }: DevicePanelProps) {
  return (
    <KnownDevice deviceId={deviceId} onClose={onClose}>
      {(device) => <TracingEditor device={device} onClose={onClose} />}
    </KnownDevice>
  );
}
