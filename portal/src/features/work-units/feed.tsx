/** Notes and history of a unit, newest first, with a place to write. */
import { useState } from 'react';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Avatar, Chip } from '../../components/chips.tsx';
import { Icon } from '../../components/icon.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { NoteBox } from './note-box.tsx';
import { useHistory, type HistoryRecord } from './use-work-unit.ts';
import { personName, type WorkUnit } from './work-unit.rules.ts';
import './feed.css';

const t = en.workUnits;
const filters = ['all', 'notes', 'history'] as const;
type Filter = (typeof filters)[number];
const filterLabels: Record<Filter, string> = { all: t.feedAll, notes: t.feedNotes, history: t.feedHistory };

const isNote = (entry: HistoryRecord) => !entry.historyType;
const isByPerson = (entry: HistoryRecord) => entry.createdBy.includes('@') || /\s/.test(entry.createdBy);

function value(text: string | null | undefined) {
  return text ? <b className="clip">{text}</b> : <span className="faint">{t.nothing}</span>;
}

function Words({ entry }: { entry: HistoryRecord }) {
  const who = <b title={entry.createdBy}>{personName(entry.createdBy) || t.system}</b>;
  if ((entry.historyType === 'FieldChange' || entry.historyType === 'WorkUnitStateChange') && entry.field) {
    const label = (workUnits.fields as Record<string, { label: string }>)[entry.field]?.label ?? entry.field;
    return (
      <span>
        {who} {t.changedField(label)} {value(entry.oldValue)} → {value(entry.newValue)}
      </span>
    );
  }
  const link = entry.historyUrl && /^https?:\/\//i.test(entry.historyUrl) ? entry.historyUrl : null;
  return (
    <span>
      {who} <span className="clip">{entry.detail}</span>
      {link && (
        <>
          {' '}
          <a href={link} target="_blank" rel="noreferrer">
            {en.common.open}
          </a>
        </>
      )}
    </span>
  );
}

function Entry({ entry }: { entry: HistoryRecord }) {
  const mark = isByPerson(entry) ? (
    <Avatar name={entry.createdBy} />
  ) : (
    <span className="avatar">
      <Icon name="gear" />
    </span>
  );
  if (isNote(entry)) {
    return (
      <li className="entry note">
        {mark}
        <div className="grow">
          <div className="row">
            <b title={entry.createdBy}>{personName(entry.createdBy)}</b>
            {entry.isExternalNote && <Chip tone="info">{t.external}</Chip>}
          </div>
          <p className="text">{entry.detail}</p>
        </div>
        <RelativeTime plain value={entry.created} />
      </li>
    );
  }
  return (
    <li className={entry.historyType === 'ProtocolActionFailure' ? 'entry failed' : 'entry'}>
      {mark}
      <Words entry={entry} />
      <RelativeTime plain value={entry.created} />
    </li>
  );
}

export function Feed({ unit }: { unit: WorkUnit }) {
  const history = useHistory(unit.workUnitId);
  const [filter, setFilter] = useState<Filter>('all');
  const entries = (history.data ?? [])
    .filter((entry) => filter === 'all' || isNote(entry) === (filter === 'notes'))
    .toSorted((a, b) => b.created.localeCompare(a.created) || b.id - a.id);
  return (
    <section className="feed" aria-label={t.feed}>
      <div className="feed-head">
        <h3>{t.feed}</h3>
        <span className="grow" />
        <div className="segments" role="group" aria-label={t.feed}>
          {filters.map((one) => (
            <button key={one} type="button" aria-pressed={one === filter} onClick={() => setFilter(one)}>
              {filterLabels[one]}
            </button>
          ))}
        </div>
      </div>
      <NoteBox id={unit.workUnitId} />
      {history.isLoading && (
        <p>
          <Skeleton width="70%" />
        </p>
      )}
      {history.error && <ErrorState small title={t.feedFailed} onRetry={() => void history.refetch()} />}
      {history.data && entries.length === 0 && <EmptyState small title={t.feedEmpty} />}
      <ol>
        {entries.map((entry) => (
          <Entry key={`${entry.historyType ?? 'note'}-${entry.id}`} entry={entry} />
        ))}
      </ol>
    </section>
  );
}
