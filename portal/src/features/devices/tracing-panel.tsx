/** The panel that sets for how long the agent of a device writes trace entries. */
import { useState, type SyntheticEvent } from 'react';
import { toggleTrace } from '@cloudfit/contract/calls.ts';
import { traceMinutes } from '@cloudfit/contract/enums.ts';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { useCommand } from '../../calls/command.ts';
import { Chip } from '../../components/chips.tsx';
import { FormFooter } from '../../components/form-footer.tsx';
import { Field } from '../../components/field.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { DeviceSidePanel, KnownDevice, type DevicePanelProps } from './device-panel.tsx';
import { isTraced, type Device } from './use-device.ts';
import './device-panels.css';

const t = deviceTexts.tracing;
const formId = 'tracing';
const noChange = -1;

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
  const [minutes, setMinutes] = useState(noChange);
  const isDirty = minutes !== noChange;
  useUnsavedGuard(isDirty, 'tracing');
  const save = useCommand((chosen: number) => call(toggleTrace, { id: device.deviceId, traceMinutes: chosen }), {
    done: () => t.saved(device.name),
    failed: t.failed,
    refreshes: [devices.name],
  });
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    if (await save.run(minutes)) onClose({ saved: true });
  };
  return (
    <DeviceSidePanel
      device={device}
      title={t.of(device.name)}
      onClose={onClose}
      footer={
        <FormFooter formId={formId} isNew={false} isDirty={isDirty} isSaving={save.isBusy} readOnly={!mayEdit} onClose={() => onClose()} />
      }
    >
      <form id={formId} className="body" noValidate onSubmit={(event) => void submit(event)}>
        <p className="muted">{t.text}</p>
        <Now device={device} />
        <div className="form-grid">
          <Field label={t.choose}>
            {(aria) => (
              <select
                className="input"
                {...aria}
                value={minutes}
                disabled={!mayEdit}
                onChange={(event) => setMinutes(Number(event.target.value))}
              >
                {traceMinutes.map((choice) => (
                  <option key={choice} value={choice}>
                    {t.choices[choice]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
      </form>
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
