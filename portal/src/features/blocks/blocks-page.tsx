/** A board of tiles, one per block, grouped by subscription. */
import { blockTexts as t } from '@cloudfit/contract/messages/blocks.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Pager } from '../../components/table/pager.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { SearchBox } from '../../components/search-box.tsx';
import { listQuery } from '../../filters/list-query.ts';
import { ResourcePanel } from '../../resource/resource-panel.tsx';
import { listAddress } from '../../filters/list-state.ts';
import { useListState } from '../../filters/use-list-state.ts';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { useScope } from '../../rows/use-scope.ts';
import { BlockBoard } from './block-board.tsx';
import { blocksView } from './blocks.view.tsx';
import { paused, useBlocks } from './use-blocks.ts';
import './blocks.css';

const address = listAddress(blocksView);

/** The form of a new block shows the id to which values will be posted; the person may replace this id. */
const panelView = () => ({
  ...blocksView,
  start: { blockId: crypto.randomUUID() },
});

/** `header` is for a board that is the background of another page. */
export function BlocksPage({ header = blocksView.texts.title }: { header?: string }) {
  const scope = useScope();
  const may = useMay();
  const isPaused = paused.use();
  const [state, change] = useListState(address);
  const { id, open, close } = usePanel(blocksView.panelParam);
  const list = useBlocks(listQuery(blocksView, state, scope), scope.isKnown);
  usePageTitle(header);
  const rows = list.data?.rows ?? [];
  const count = list.data?.count;
  return (
    <div className="page">
      <div className="page-bar">
        <SearchBox
          label={t.search}
          value={state.search}
          exact={false}
          withExact={false}
          debounceMs={blocksView.searchDebounceMs ?? 0}
          onSearch={(search) => change({ search }, { replace: true })}
        />
        <span className="grow" />
        <Button small icon={isPaused ? 'refresh' : 'pending'} aria-pressed={isPaused} onClick={() => paused.set(!isPaused)}>
          {isPaused ? t.resume : t.pause}
        </Button>
        {may('Blocks', 'create') && (
          <Button look="primary" icon="plus" data-create onClick={() => open(newId)}>
            {en.grid.create}
          </Button>
        )}
      </div>
      <BlockBoard list={list} search={state.search} openId={id} open={open} onClear={() => change({ search: '' })} />
      {count !== undefined && count > state.rows && (
        <Pager
          page={state.page}
          rows={state.rows}
          count={count}
          onPage={(page) => change({ page })}
          onRows={(number) => change({ rows: number })}
        />
      )}
      {id && (
        <ResourcePanel
          key={id}
          view={id === newId ? panelView() : blocksView}
          id={id}
          row={rows.find((block) => block.blockId === id)}
          onClose={() => close()}
        />
      )}
    </div>
  );
}
