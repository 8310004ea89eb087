/** The machines that a token has enrolled and that wait, and the devices that others of them became. */
import { Link } from 'react-router';
import { addDevicesTexts as t } from '@cloudfit/contract/messages/add-devices.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { pendingDevices } from '@cloudfit/contract/resources/pending-devices.ts';
import { Button } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useList } from '../../rows/use-rows.ts';
import { usePendingBatch, type Subscription } from './use-pending-batch.ts';

const pollMs = 5_000;
const shown = 50;

export interface EnrolmentToken {
  tokenGrantId: string;
  tenantId: string;
  created: string;
  generatedToken: string;
}

export function NewMachines({ token, subscription }: { token: EnrolmentToken; subscription: Subscription | undefined }) {
  const { mayPromote, isBusy, promote } = usePendingBatch();
  const { tokenGrantId, tenantId } = token;
  const options = { pollMs };
  const waiting = useList(
    pendingDevices,
    { filter: eq(pendingDevices, 'tokenGrantId', tokenGrantId), orderBy: 'created desc', top: shown },
    options,
  );
  const added = useList(devices, { filter: eq(devices, 'enrolledBy', tokenGrantId), orderBy: 'created desc', top: shown }, options);
  return (
    <>
      <section className="form-section" aria-label={t.waiting} aria-live="polite">
        <h3>{t.waiting}</h3>
        {waiting.data?.rows.length ? (
          <ul className="new-machines">
            {waiting.data.rows.map((machine) => (
              <li key={machine.pendingDeviceId}>
                <span className="ellipsis">{machine.machineName}</span>
                <span className="faint">{machine.ipAddress}</span>
                <span className="grow" />
                {mayPromote && (
                  <Button
                    small
                    aria-label={`${t.promote} ${machine.machineName}`}
                    disabled={isBusy}
                    onClick={() => void promote([machine.pendingDeviceId], subscription)}
                  >
                    {t.promote}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        ) : (
          <p className="faint">{t.waitingNone}</p>
        )}
      </section>
      <section className="form-section" aria-label={t.devices} aria-live="polite">
        <h3>{t.devices}</h3>
        {added.data?.rows.length ? (
          <ul className="new-machines">
            {added.data.rows.map((device) => (
              <li key={device.deviceId}>
                <Link className="ellipsis" to={`/${tenantId}/devices?id=${device.deviceId}`}>
                  {device.name}
                </Link>
                <span className="grow" />
                <span className="faint">
                  <RelativeTime value={device.created} />
                </span>
              </li>
            ))}
          </ul>
        ) : (
          <p className="faint">{t.devicesNone}</p>
        )}
      </section>
    </>
  );
}
