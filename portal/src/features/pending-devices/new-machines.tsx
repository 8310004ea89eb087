/** The machines that were enrolled with a token: the pending machines, and the devices that machines have become. */
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { addDevicesTexts as t } from '@cloudfit/contract/messages/add-devices.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { tokens } from '@cloudfit/contract/resources/tokens.ts';
import { pendingDevices } from '@cloudfit/contract/resources/pending-devices.ts';
import { Button } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useList } from '../../rows/use-rows.ts';
import { usePendingBatch, type Subscription } from './use-pending-batch.ts';

const pollMs = 5_000;
const maxShown = 50;

const linkId = (deviceId: string) => `added-${deviceId}`;

/** A token as the answer to its creation has it. */
export type EnrolmentToken = Row<typeof tokens> & { generatedToken: string };

export function NewMachines({ token, subscription }: { token: EnrolmentToken; subscription: Subscription | undefined }) {
  const { mayPromote, isBusy, promote } = usePendingBatch();
  const { tokenGrantId, tenantId } = token;
  const options = { pollMs };
  const waiting = useList(
    pendingDevices,
    { filter: eq(pendingDevices, 'tokenGrantId', tokenGrantId), orderBy: 'created desc', top: maxShown },
    options,
  );
  const added = useList(devices, { filter: eq(devices, 'enrolledBy', tokenGrantId), orderBy: 'created desc', top: maxShown }, options);
  const list = useRef<HTMLDivElement>(null);
  /** The machine that is being promoted, its position in the list, and the devices that were listed before its promotion. */
  const promoted = useRef<{ id: string; at: number; knownIds: readonly string[] }>(undefined);
  const begin = async (id: string, at: number) => {
    promoted.current = { id, at, knownIds: (added.data?.rows ?? []).map(({ deviceId }) => deviceId) };
    if (!(await promote([id], subscription))) promoted.current = undefined;
  };
  useEffect(() => {
    const last = promoted.current;
    if (!last || isBusy || waiting.data?.rows.some(({ pendingDeviceId }) => pendingDeviceId === last.id)) return;
    const buttons = list.current?.querySelectorAll<HTMLElement>('li > button') ?? [];
    const device = added.data?.rows.find(({ deviceId }) => !last.knownIds.includes(deviceId));
    // The focus moves to the next machine, now at the position of the promoted machine; if there is none, to the new device.
    const next = buttons[Math.min(last.at, buttons.length - 1)] ?? (device && document.getElementById(linkId(device.deviceId)));
    if (!next) return;
    promoted.current = undefined;
    const { activeElement } = document;
    if (activeElement === document.body || activeElement?.matches('.side-panel')) next.focus();
  }, [added.data, isBusy, waiting.data]);
  return (
    <div ref={list}>
      <section className="form-section" aria-label={t.waiting} aria-live="polite">
        <h3>{t.waiting}</h3>
        {waiting.data?.rows.length ? (
          <ul className="new-machines">
            {waiting.data.rows.map((machine, at) => (
              <li key={machine.pendingDeviceId}>
                <span className="ellipsis">{machine.machineName}</span>
                <span className="faint">{machine.ipAddress}</span>
                <span className="grow" />
                {mayPromote && (
                  <Button
                    small
                    aria-label={`${t.promote} ${machine.machineName}`}
                    disabled={isBusy}
                    onClick={() => void begin(machine.pendingDeviceId, at)}
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
                <Link id={linkId(device.deviceId)} className="ellipsis" to={`/${tenantId}/devices?id=${device.deviceId}`}>
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
    </div>
  );
}
