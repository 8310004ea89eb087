import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';

/** New rows wait for a click, or until the pointer leaves the list. */
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
