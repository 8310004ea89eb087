import { en } from '@cloudfit/contract/messages/en.ts';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import type { ListQuery } from '@cloudfit/contract/query/query-string.ts';
import { Button, IconButton } from '../components/button.tsx';
import { ProgressBar } from '../components/progress-bar.tsx';
import { exportRows, type ExportSource } from './export-rows.ts';
import { useExportAll } from './use-export-all.ts';
import type { TableColumn } from '../components/table/table-column.ts';
import { countText } from '../components/count.ts';

interface ExportButtonsProps<T> {
  view: ExportSource;
  /** The visible columns. */
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  query: ListQuery;
  count: number | undefined;
}

/** A failed export is only logged (ERR-062). */
const logged = (error: unknown) => console.warn(error);

/** Buttons that export the rows on the screen, or all rows. */
export function ExportButtons<T>({ view, columns, rows, query, count = 0 }: ExportButtonsProps<T>) {
  const { progress, start, stop } = useExportAll(view);
  const isEmpty = rows.length === 0;
  return (
    <>
      <Button small look="quiet" icon="download" disabled={isEmpty} onClick={() => exportRows(view, columns, rows).catch(logged)}>
        {en.grid.exportPage}
      </Button>
      {progress ? (
        <span className="exporting" role="status">
          {t.exporting}
          <ProgressBar done={progress.done} all={progress.all} label={t.exporting} />
          <span className="num faint">{t.exportProgress(countText(progress.done), countText(progress.all))}</span>
          <IconButton small icon="close" label={t.stopExport} onClick={stop} />
        </span>
      ) : (
        <Button small look="quiet" icon="download" disabled={isEmpty} onClick={() => void start(columns, query, count)}>
          {t.exportAll}
        </Button>
      )}
    </>
  );
}
