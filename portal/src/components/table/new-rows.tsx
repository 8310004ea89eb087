import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';

/** Tells how many new rows wait to be shown, with a button that shows them. */
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
