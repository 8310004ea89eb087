import { blockType } from '@cloudfit/contract/enums.ts';
import { unitOf } from '../../components/chart/number-text.ts';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import type { Packet } from '../../entities/packets/packet-details.tsx';
import { useSparkline } from '../../entities/series/use-sparkline.ts';
import { courseMetric } from './block-value.tsx';
import type { Block } from './use-blocks.ts';

/** Whether the tile shows a line: of the value of a numeric block, or of the CPU of a device. */
export function hasCourse(block: Block, packet: Packet | undefined): boolean {
  if (block.blockTypeId === blockType.deviceHeartbeat) return packet?.message.Metrics?.[courseMetric] !== undefined;
  return block.blockTypeId === blockType.numeric && typeof packet?.message.Value === 'number';
}

/** The values of the last hours as a small line (sparkline). */
export function BlockCourse({ block }: { block: Block }) {
  const metric = block.blockTypeId === blockType.deviceHeartbeat ? courseMetric : 'Value';
  const { data } = useSparkline(block.entityId, metric);
  if (!data || data.buckets.length < 2) return null;
  const label = metric === courseMetric ? `${metric} ${block.name}` : block.name;
  return (
    <div className="block-course">
      <Sparkline
        series={{ id: block.blockId, label, unit: unitOf(metric), buckets: data.buckets, gap: data.gap }}
        from={data.from}
        to={data.to}
      />
    </div>
  );
}
