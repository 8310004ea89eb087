/** What a block shows of its latest packet: a number, a text, or whether a device reports. */
import { blockType } from '@cloudfit/contract/enums.ts';
import { blockTexts as t } from '@cloudfit/contract/messages/blocks.en.ts';
import { numberText, unitOf } from '../../components/chart/number-text.ts';
import { span, useNow } from '../../components/relative-time.tsx';
import { silentAfterMs } from '../../entities/attention.ts';
import type { Packet } from '../../entities/packets/packet-details.tsx';
import { packetValueText } from '../../entities/packets/packet-value.ts';
import type { Block } from './use-blocks.ts';

const maxMetrics = 3;
/** Longer numbers get a smaller font. */
const longNumber = 7;

/** Whether the device of a heartbeat block, or the sender of another, has not been heard for too long. */
export function useSilence(block: Pick<Block, 'blockTypeId'>, packet: Packet | undefined): string | undefined {
  const now = useNow();
  // Other blocks have no rhythm in which values come.
  if (block.blockTypeId !== blockType.deviceHeartbeat || !packet) return undefined;
  const silence = now - Date.parse(packet.timestamp);
  return silence > silentAfterMs ? t.silentFor(span(silence)) : undefined;
}

function Heartbeat({ packet, silence }: { packet: Packet; silence: string | undefined }) {
  const metrics = Object.entries(packet.message.Metrics ?? {}).slice(0, maxMetrics);
  return (
    <>
      <span className="block-text">{silence ?? t.reporting}</span>
      {metrics.length > 0 && (
        <span className="block-metrics">
          {metrics.map(([name, value]) => (
            <span key={name} className="row">
              <span className="ellipsis grow">{name}</span>
              <span className="num">{numberText(value, unitOf(name))}</span>
            </span>
          ))}
        </span>
      )}
    </>
  );
}

interface BlockNowProps {
  block: Pick<Block, 'blockTypeId'>;
  packet: Packet | undefined;
}

export function BlockNow({ block, packet }: BlockNowProps) {
  const silence = useSilence(block, packet);
  if (!packet) return <span className="block-text faded">{t.noData}</span>;
  if (block.blockTypeId === blockType.deviceHeartbeat) return <Heartbeat packet={packet} silence={silence} />;
  const text = packetValueText(packet.message.Value);
  if (text === '') return <span className="block-text faded">{t.noData}</span>;
  if (block.blockTypeId === blockType.smallText) return <span className="block-text">{text}</span>;
  return <span className={text.length > longNumber ? 'block-number long num' : 'block-number num'}>{text}</span>;
}
