/** The controls of a set in a week, page by page. */
import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../../components/button.tsx';
import { Pager } from '../../components/table/pager.tsx';
import { useRowKeys } from '../../components/table/use-row-keys.ts';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { ControlRow } from './control-row.tsx';
import { narrowed } from './narrow.ts';
import type { WeekOfTenant } from './use-control-status.ts';
import type { WeekControl } from './use-controls.ts';
import type { ChangePlace, Place, Status } from './use-place.ts';
import { useUnsavedNotes } from './use-unsaved-notes.ts';

/** What is shown beside the statuses of the week. */
export interface RowExtras {
  /** Statuses of the week before, by the id of the control. */
  before: ReadonlyMap<string, Status>;
  /** Number of pieces of evidence, by the id of the status. */
  evidence: ReadonlyMap<string, number>;
  /** Whether the week is signed off. */
  isFrozen: boolean;
  onEvidence: (controlId: string) => void;
}

interface ControlsGridProps {
  beside: RowExtras;
  /** Undefined while the rows load. */
  controls: readonly WeekControl[] | undefined;
  week: WeekOfTenant;
  place: Place;
  change: ChangePlace;
}

const skeletons = [0, 1, 2, 3, 4, 5];

export function ControlsGrid({ controls, week, place, change, beside }: ControlsGridProps) {
  const shownControls = controls && narrowed(controls, place, beside.before);
  const count = shownControls?.length;
  const last = Math.max(0, Math.ceil((count ?? 0) / place.rows) - 1);
  const page = Math.min(place.page, last);
  const rowKeys = useRowKeys();
  const notes = useUnsavedNotes(week.monday);
  return (
    <>
      <div className="table-scroll">
        <table className="table controls-table" aria-label={t.controls} aria-busy={!shownControls}>
          <thead>
            <tr>
              {Object.entries(t.columns).map(([id, header]) => (
                <th key={id} scope="col" className={`at-${id}`}>
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody onKeyDown={rowKeys}>
            {shownControls
              ? shownControls
                  .slice(page * place.rows, (page + 1) * place.rows)
                  .map((control) => (
                    <ControlRow
                      key={`${control.id} ${week.monday}`}
                      control={control}
                      week={week}
                      before={beside.before.get(control.id)}
                      evidence={beside.evidence.get(control.controlStatuses[0]?.id ?? '') ?? 0}
                      isFrozen={beside.isFrozen}
                      onEvidence={beside.onEvidence}
                      unsaved={notes.unsavedOf(control.id)}
                      onUnsaved={notes.keep}
                    />
                  ))
              : skeletons.map((at) => (
                  <tr key={at}>
                    {Object.keys(t.columns).map((id, column) => (
                      <td key={id}>
                        <Skeleton width={`${40 + ((at * 7 + column * 13) % 45)}%`} />
                      </td>
                    ))}
                  </tr>
                ))}
          </tbody>
        </table>
        {count === 0 && controls?.length === 0 && <EmptyState icon="compliance" title={t.noControls} />}
        {count === 0 && controls?.length !== 0 && (
          <EmptyState icon="search" title={t.noneMatch} text={en.grid.noneText}>
            <Button onClick={() => change({ search: '', status: '', changed: '' })}>{en.grid.clearAll}</Button>
          </EmptyState>
        )}
      </div>
      <Pager
        page={page}
        rows={place.rows}
        count={count}
        onPage={(next) => change({ page: next === 0 ? '' : String(next + 1) })}
        onRows={(rows) => change({ rows: String(rows) })}
      />
    </>
  );
}
