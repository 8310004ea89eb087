import { compareNames } from '@cloudfit/contract/natural-order.ts';
import { useMemo } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { blockTexts as t } from '@cloudfit/contract/messages/blocks.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMarks } from '../../api/live.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState, Progress } from '../../components/states.tsx';
import type { RowsPage } from '../../rows/use-rows.ts';
import { BlockCard } from './block-card.tsx';
import { usePackets, type Block } from './use-blocks.ts';
import { isDenied, LoadFailure } from '../../rows/load-failure.tsx';

interface BlockBoardProps {
  list: UseQueryResult<RowsPage<Block>>;
  search: string;
  openId: string | null;
  open: (key: string) => void;
  onClear: () => void;
}

const noBlocks: readonly Block[] = [];
const skeletons = 12;

/** Blocks by subscription, sorted by the subscription's name. */
function bySubscription(rows: readonly Block[]) {
  const groups = Map.groupBy(rows, (block) => block.subscriptionId);
  return [...groups.values()]
    .map((blocks) => ({ name: blocks[0]?.subscription?.name ?? '', blocks }))
    .toSorted((a, b) => compareNames(a.name, b.name));
}

/** The tiles of the blocks, or the reason why there are none. */
export function BlockBoard({ list, search, openId, open, onClear }: BlockBoardProps) {
  const rows = list.data?.rows ?? noBlocks;
  const groups = useMemo(() => bySubscription(rows), [rows]);
  const packets = usePackets(useMemo(() => rows.map((block) => block.entityId).toSorted(), [rows]));
  const packetOf = useMemo(() => new Map((packets.data?.rows ?? []).map((packet) => [packet.entityId, packet])), [packets.data]);
  const isMarked = useMarks('blocks');
  if (list.error && (isDenied(list.error) || !list.data))
    return (
      <div className="boards">
        <LoadFailure query={list} failed={en.failure.list} denied={en.auth.deniedText} />
      </div>
    );
  if (list.data && rows.length === 0)
    return (
      <div className="boards">
        <EmptyState icon="blocks" title={t.none} text={search ? t.noneNamed : t.noneText}>
          {search && <Button onClick={onClear}>{en.grid.clearSearch}</Button>}
        </EmptyState>
      </div>
    );
  return (
    <div className={list.isPlaceholderData ? 'boards stale' : 'boards'}>
      {list.isPlaceholderData && <Progress label={en.grid.updating} />}
      {!list.data && (
        <ul className="board" aria-busy aria-label={en.grid.loading}>
          {Array.from({ length: skeletons }, (_, at) => (
            <li key={at} className="block empty" />
          ))}
        </ul>
      )}
      {groups.map(({ name, blocks }) => (
        <section key={blocks[0]?.subscriptionId} aria-label={name}>
          <h2 className="board-name">
            {name} <span className="faint num">{blocks.length}</span>
          </h2>
          <ul className="board">
            {blocks.map((block) => (
              <BlockCard
                key={block.blockId}
                block={block}
                packet={packetOf.get(block.entityId)}
                isWaiting={packets.isLoading}
                isOpen={block.blockId === openId}
                isMarked={isMarked(block.blockId)}
                open={open}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
