/** A past version of the unit beside the present one, with links to earlier and later entries and undo. */
import type { ReactNode } from 'react';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { workUnitAt } from '@cloudfit/contract/calls.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { historyTexts as t } from '@cloudfit/contract/messages/work-unit-history.en.ts';
import { useCall } from '../../../api/call.ts';
import { RequestFailed } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/overlay/floating.tsx';
import { exactTime } from '../../../theme/times.ts';
import { ErrorState, Skeleton } from '../../../components/states.tsx';
import { usePersonName } from '../../../api/people-names.ts';
import { PersonName } from '../../../rows/person-name.tsx';
import { sameValue, type UntypedRow } from '../../../rows/row.ts';
import { EntryWords, isNote } from './feed-entry.tsx';
import { labelOf, wordsOf } from '../inputs/field-value.ts';
import { undoable } from '../panel/use-undo.ts';
import type { HistoryRecord } from '../panel/use-work-unit.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { ColumnHeads } from '../../../components/table/column-heads.tsx';
import './unit-then.css';

/** Fields that the server sets with every change, or that people do not read. */
const silentFields: ReadonlySet<string> = new Set(['modified', 'modifiedBy', 'properties', 'workUnitId']);
const names = Object.keys(workUnits.fields).filter((name) => !silentFields.has(name));

const orNothing = (words: string | null): ReactNode => words ?? <span className="faint">{t.empty}</span>;

function Differences({ then, now, entry }: { then: CallOutput<typeof workUnitAt>; now: PanelWorkUnit; entry: HistoryRecord }) {
  usePersonName();
  const past: UntypedRow = then.unit;
  const current: UntypedRow = now;
  const words = (name: string, from: UntypedRow) => wordsOf(name, from[name], then.names);
  const differs = names.filter((name) => !sameValue(past[name], current[name]));
  const alike = names.filter((name) => !differs.includes(name) && words(name, past) !== null);
  return (
    <>
      <section className="form-section" aria-label={t.differs}>
        <h3>{t.differs}</h3>
        {differs.length === 0 ? (
          <p className="muted">{t.differsNot}</p>
        ) : (
          <table className="table then">
            <ColumnHeads names={[t.field, t.valueThen, t.now]} />
            <tbody>
              {differs.map((name) => (
                <tr key={name} className={name === entry.field ? 'by-this' : ''} title={name === entry.field ? t.byThis : undefined}>
                  <th scope="row">{labelOf(name)}</th>
                  <td>{orNothing(words(name, past))}</td>
                  <td>{orNothing(words(name, current))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <section className="form-section" aria-label={t.alike}>
        <h3>{t.alike}</h3>
        <dl className="pairs">
          {alike.map((name) => (
            <div key={name}>
              <dt>{labelOf(name)}</dt>
              <dd>{words(name, past)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}

function What({ entry }: { entry: HistoryRecord }) {
  return (
    <p className="then-entry">
      {isNote(entry) ? (
        <>
          <b>
            <PersonName userName={entry.createdBy} />
          </b>{' '}
          <span className="clip">{t.quoted(entry.detail)}</span>
        </>
      ) : (
        <EntryWords entry={entry} />
      )}
    </p>
  );
}

interface UnitAtTimeProps {
  unit: PanelWorkUnit;
  /** All entries of the feed, newest first. */
  entries: readonly HistoryRecord[];
  at: number;
  onGo: (id: number | undefined) => void;
  onUndo: ((entry: HistoryRecord) => Promise<void>) | undefined;
}

export function UnitAtTime({ unit, entries, at, onGo, onUndo }: UnitAtTimeProps) {
  // A past version never changes.
  const { data, error, refetch } = useCall(workUnitAt, { workUnitId: unit.workUnitId, entryId: at }, { staleTime: Infinity });
  const place = entries.findIndex((entry) => entry.id === at);
  const entry = entries[place];
  const [older, newer] = [entries[place + 1], entries[place - 1]];
  const state = entry ? undoable(unit, entry) : 'never';
  const missing = !entry || (error instanceof RequestFailed && error.status === 404);
  return (
    <Dialog
      title={t.thenTitle(unit.publicWorkUnitId, entry ? exactTime(entry.created) : '…')}
      width="md"
      onClose={() => onGo(undefined)}
      actions={
        <div className="then-foot">
          <Button icon="left" disabled={!entry || !older} onClick={() => onGo(older?.id)}>
            {t.older}
          </Button>
          <Button trailing="right" disabled={!entry || !newer} onClick={() => onGo(newer?.id)}>
            {t.newer}
          </Button>
          <span className="grow" />
          {onUndo && entry && state === 'yes' && (
            <Button icon="undo" onClick={() => void onUndo(entry)}>
              {t.undo}
            </Button>
          )}
          <Button look="primary" onClick={() => onGo(undefined)}>
            {en.common.close}
          </Button>
        </div>
      }
    >
      {entry && <What entry={entry} />}
      {entry && state === 'changed' && <p className="muted">{t.changedSince(labelOf(entry.field ?? ''))}</p>}
      {missing ? (
        <ErrorState small title={t.thenMissing} />
      ) : error ? (
        <ErrorState small title={t.thenFailed} onRetry={() => void refetch()} />
      ) : data && entry ? (
        <Differences then={data} now={unit} entry={entry} />
      ) : (
        <Skeleton width="70%" />
      )}
    </Dialog>
  );
}
