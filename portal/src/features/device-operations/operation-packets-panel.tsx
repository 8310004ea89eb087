import { deviceOperations as resource } from '@cloudfit/contract/resources/device-operations.ts';
import { Link } from 'react-router';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packetTexts } from '@cloudfit/contract/messages/packets.en.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { MissingRow } from '../../rows/missing-row.tsx';
import { PacketDetails } from '../../entities/packets/packet-details.tsx';
import { useRow } from '../../rows/use-rows.ts';
import type { OfOperationProps } from './operation-logs-panel.tsx';
import { usePacketsOf } from './use-device-operations.ts';
import { labelOf } from '../../rows/row.ts';

const t = operationTexts.packetsPanel;

function LatestPacket({ id }: { id: string }) {
  const mayView = useMay()('Packets', 'view');
  const { data, error, refetch } = usePacketsOf([id]);
  if (!mayView) return <ErrorState title={en.auth.deniedTitle} text={packetTexts.forbidden} />;
  if (error && !data) return <ErrorState title={packetTexts.failed} text={failureText(error)} onRetry={() => void refetch()} />;
  return data ? <PacketDetails packet={data.get(id)} /> : <Skeleton width="60%" />;
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
