/** The panel that sets for how long the agent of a device writes trace entries. */
import { useState, type SyntheticEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { traceMinutes } from '@cloudfit/contract/enums.ts';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { callJson } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { Chip } from '../../components/chips.tsx';
import { FormFooter } from '../../components/form-footer.tsx';
import { Field } from '../../components/field.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
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
  const client = useQueryClient();
  const [minutes, setMinutes] = useState(noChange);
  const isDirty = minutes !== noChange;
  useUnsavedGuard(isDirty, 'tracing');
  const save = useMutation({
    mutationFn: () => callJson(`/v1/devices/${device.deviceId}/toggleTrace/${minutes}`, { method: 'POST' }),
    onSuccess: () => client.invalidateQueries({ queryKey: [devices.name] }),
  });
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    try {
      await save.mutateAsync();
      toast.success(t.saved(device.name));
      onClose({ saved: true });
    } catch (error) {
      console.warn(error);
      toastFailure(error, t.failed);
    }
  };
  return (
    <DeviceSidePanel
      device={device}
      title={t.of(device.name)}
      onClose={onClose}
      footer={
        <FormFooter
          formId={formId}
          isNew={false}
          isDirty={isDirty}
          isSaving={save.isPending}
          readOnly={!mayEdit}
          onClose={() => onClose()}
        />
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
