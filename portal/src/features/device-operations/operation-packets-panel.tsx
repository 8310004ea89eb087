import { deviceOperations as resource } from '@cloudfit/contract/resources/device-operations.ts';
import { Link } from 'react-router';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packetTexts } from '@cloudfit/contract/messages/packets.en.ts';
import { useMay } from '../../api/lookups.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorState } from '../../components/states.tsx';
import { MissingRow } from '../../rows/missing-row.tsx';
import { PacketDetails } from '../../entities/packets/packet-details.tsx';
import { useRow } from '../../rows/use-rows.ts';
import type { OfOperationProps } from './operation-logs-panel.tsx';
import { usePacketsOf } from './use-device-operations.ts';
import { labelOf } from '../../rows/row.ts';

const t = operationTexts.packetsPanel;

function LatestPacket({ id }: { id: string }) {
  const mayView = useMay()('Packets', 'view');
  const packets = usePacketsOf([id]);
  if (!mayView) return <ErrorState title={en.auth.deniedTitle} text={packetTexts.forbidden} />;
  return (
    <Loaded query={packets} failed={packetTexts.failed} small={false}>
      {(byId) => <PacketDetails packet={byId.get(id)} />}
    </Loaded>
  );
}

/** The latest packet of one operation. */
export function OperationPacketsPanel({ id, listed, onClose }: OfOperationProps) {
  const { data, error, refetch } = useRow(resource, id, { listed });
  if (!data) return <MissingRow label={resource.label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
  return (
    <SidePanel
      title={t.titleOf(data.label)}
      onClose={onClose}
      meta={<CopyId id={id} label={labelOf(resource)} />}
      footer={
        <>
          <Button onClick={onClose}>{en.common.close}</Button>
          <span className="grow" />
          <Link className="link" to={`/${data.tenantId}/packets/${id}`}>
            {t.open}
          </Link>
        </>
      }
    >
      <div className="body">
        <LatestPacket id={id} />
      </div>
    </SidePanel>
  );
}
