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
/** The metric of a device's tile: its line and its large number. */
export const courseMetric = 'Cpu';
/** Maximum number of characters of a number in the large font; a longer text gets a smaller font. */
const longNumber = 7;

/**
 * Returns how long the device of a heartbeat block has been silent, as text; undefined up to `silentAfterMs`, and for other
 * blocks.
 */
export function useSilence(block: Pick<Block, 'blockTypeId'>, packet: Packet | undefined): string | undefined {
  const now = useNow();
  // Values of other blocks come at no fixed interval.
  if (block.blockTypeId !== blockType.deviceHeartbeat || !packet) return undefined;
  const silence = now - Date.parse(packet.timestamp);
  return silence > silentAfterMs ? t.silentFor(span(silence)) : undefined;
}

const bigNumber = (text: string) => <span className={text.length > longNumber ? 'block-number long num' : 'block-number num'}>{text}</span>;

const metricText = (name: string, value: number) => numberText(value, unitOf(name));

function Metrics({ metrics }: { metrics: readonly (readonly [name: string, value: number])[] }) {
  if (metrics.length === 0) return null;
  return (
    <span className="block-metrics">
      {metrics.map(([name, value]) => (
        <span key={name} className="row">
          <span className="ellipsis grow">{name}</span>
          <span className="num">{metricText(name, value)}</span>
        </span>
      ))}
    </span>
  );
}

/**
 * Shows a heartbeat: the metric `courseMetric`, or the first metric, as the large number, and that the device reports. While
 * the device is silent, or if it has no metrics, a text replaces the large number.
 */
function Heartbeat({ packet, silence }: { packet: Packet; silence: string | undefined }) {
  const all = Object.entries(packet.message.Metrics ?? {});
  const [main, ...others] = all.toSorted(([a], [b]) => Number(b === courseMetric) - Number(a === courseMetric)).slice(0, maxMetrics);
  if (silence !== undefined || !main)
    return (
      <>
        <span className="block-text">{silence ?? t.reporting}</span>
        <Metrics metrics={main ? [main, ...others] : []} />
      </>
    );
  const [name, value] = main;
  return (
    <>
      {bigNumber(metricText(name, value))}
      <span className="block-state row">
        <span className="ellipsis grow">{name}</span>
        {t.reporting}
      </span>
      <Metrics metrics={others} />
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
  return bigNumber(text);
}
