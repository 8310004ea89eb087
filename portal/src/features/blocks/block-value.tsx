/** What a block shows of its latest packet: a number, a text, or whether a device reports. */
import { blockType } from '@cloudfit/contract/enums.ts';
import { blockTexts as t } from '@cloudfit/contract/messages/blocks.en.ts';
import { useNow } from '../../components/relative-time.tsx';
import type { Packet } from '../../entities/packets/packet-details.tsx';
import { packetValueText } from '../../entities/packets/packet-value.ts';
import type { Block } from './use-blocks.ts';

/** A device is silent after this long without a packet. */
const silentMs = 5 * 60_000;
const maxMetrics = 3;
/** Longer numbers get a smaller font. */
const longNumber = 7;

function Heartbeat({ packet }: { packet: Packet }) {
  const isSilent = useNow() - new Date(packet.timestamp).getTime() > silentMs;
  const metrics = Object.entries(packet.message.Metrics ?? {}).slice(0, maxMetrics);
  return (
    <>
      <span className="block-text">{isSilent ? t.silent : t.reporting}</span>
      {metrics.length > 0 && (
        <span className="block-metrics">
          {metrics.map(([name, value]) => (
            <span key={name} className="row">
              <span className="ellipsis grow">{name}</span>
              <span className="num">{packetValueText(Math.round(value * 10) / 10)}</span>
            </span>
          ))}
        </span>
      )}
    </>
  );
}

export function BlockNow({ block, packet }: { block: Pick<Block, 'blockTypeId'>; packet: Packet | undefined }) {
  if (!packet) return <span className="block-text faded">{t.noData}</span>;
  if (block.blockTypeId === blockType.deviceHeartbeat) return <Heartbeat packet={packet} />;
  const text = packetValueText(packet.message.Value);
  if (text === '') return <span className="block-text faded">{t.noData}</span>;
  if (block.blockTypeId === blockType.smallText) return <span className="block-text">{text}</span>;
  return <span className={text.length > longNumber ? 'block-number long num' : 'block-number num'}>{text}</span>;
}
