import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';

/** What came meanwhile waits for a click, or for the pointer to leave. */
export function NewRows({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <div className="new-rows" role="status">
      {count > 0 && (
        <button type="button" className="chip info" onClick={onShow}>
          {t.newRows(count)} · {t.showNewRows}
        </button>
      )}
    </div>
  );
}
