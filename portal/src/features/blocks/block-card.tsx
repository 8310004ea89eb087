import type { MouseEvent } from 'react';
import { blockTypes, labelOf } from '@cloudfit/contract/enums.ts';
import { blockTexts as t } from '@cloudfit/contract/messages/blocks.en.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Skeleton } from '../../components/states.tsx';
import { RowActions } from '../../resource/row-actions.tsx';
import { MaintenanceOf } from '../../entities/maintenance/maintenance-mark.tsx';
import type { Packet } from '../../entities/packets/packet-details.tsx';
import { BlockCourse, hasCourse } from './block-course.tsx';
import { BlockNow, useSilence } from './block-value.tsx';
import { blocksView } from './blocks.view.tsx';
import type { Block } from './use-blocks.ts';

interface BlockCardProps {
  block: Block;
  packet: Packet | undefined;
  /** Whether the packets are still loading. */
  isWaiting: boolean;
  isOpen: boolean;
  isMarked: boolean;
  open: (key: string) => void;
}

/** A tile in the block's colour, with the colour's name and the latest value; hatched in red while its device is silent. */
export function BlockCard({ block, packet, isWaiting, isOpen, isMarked, open }: BlockCardProps) {
  const { color } = block.entityColor;
  const silence = useSilence(block, packet);
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(block.blockId);
  };
  return (
    <li
      className={`block ${isOpen ? 'opened' : ''} ${isMarked ? 'marked' : ''}`}
      data-color={silence ? undefined : color}
      data-silent={silence ? '' : undefined}
    >
      <div className="block-head">
        <h3>
          <a href={`?blockId=${block.blockId}`} title={block.name} onClick={follow}>
            {block.name}
          </a>
        </h3>
        <RowActions view={blocksView} row={block} onEdit={() => open(block.blockId)} />
      </div>
      <div className="block-now">{isWaiting ? <Skeleton width="50%" /> : <BlockNow block={block} packet={packet} />}</div>
      {hasCourse(block, packet) && <BlockCourse block={block} />}
      <div className="block-foot">
        <span className="block-color">{silence ? t.silent : (t.colors[color] ?? color)}</span>
        <span aria-hidden>·</span>
        <span className="ellipsis grow">{labelOf(blockTypes, block.blockTypeId)}</span>
        <MaintenanceOf entityId={block.deviceId ?? block.blockId} />
        {packet && <RelativeTime plain value={packet.timestamp} />}
      </div>
    </li>
  );
}
