import { Link } from 'react-router';
import { blockTypes, labelOf } from '@cloudfit/contract/enums.ts';
import { blockTexts as t } from '@cloudfit/contract/messages/blocks.en.ts';
import { packetTexts } from '@cloudfit/contract/messages/packets.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { ReadOnlyField } from '../../components/read-only-field.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Skeleton } from '../../components/states.tsx';
import { BlockNow, useSilence } from './block-value.tsx';
import { usePackets, type Block } from './use-blocks.ts';

/** The block's current value, and its settings that cannot change. */
export function BlockSummary({ block }: { block: Block }) {
  const maySee = useMay()('Packets', 'view');
  const { data } = usePackets([block.entityId]);
  const packet = data?.rows.find((row) => row.entityId === block.entityId);
  const silence = useSilence(block, packet);
  return (
    <>
      <section
        className="block-summary"
        aria-label={t.now}
        data-color={silence ? undefined : block.entityColor.color}
        data-silent={silence ? '' : undefined}
      >
        <div className="grow">
          {!maySee && <span>{packetTexts.forbidden}</span>}
          {maySee && !data && <Skeleton width="40%" />}
          {maySee && data && <BlockNow block={block} packet={packet} />}
        </div>
        {packet && (
          <div className="block-summary-side">
            <RelativeTime value={packet.timestamp} />
            <Link to={`/${block.tenantId}/packets/${block.entityId}`}>{t.openPacket}</Link>
          </div>
        )}
      </section>
      <dl className="form-grid facts block-facts">
        <ReadOnlyField kind="text" label={t.type} value={labelOf(blockTypes, block.blockTypeId)} />
        <ReadOnlyField kind="text" label={t.tenant} value={block.tenant?.name ?? en.common.none} />
        <ReadOnlyField kind="text" label={t.subscription} value={block.subscription?.name ?? en.common.none} />
      </dl>
    </>
  );
}
