/** The timeline of a unit: what is to come, then its notes, history and who was notified, newest first. The address holds the filter and the open past version. */
import { useState, type RefObject } from 'react';
import { useSearchParams } from 'react-router';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { reviewTexts } from '@cloudfit/contract/messages/incident-review.en.ts';
import { historyTexts } from '@cloudfit/contract/messages/work-unit-history.en.ts';
import { useMay } from '../../../api/lookups.ts';
import { Button } from '../../../components/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../components/states.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { usePanel } from '../../../hooks/use-panel.ts';
import { useAddress } from '../../../hooks/use-address.ts';
import { Entry, isNote, type EntryRule } from './feed-entry.tsx';
import { MessageEntry } from './message-entry.tsx';
import type { Composer } from './note-box.tsx';
import { ToCome } from './to-come.tsx';
import { UnitAtTime } from './unit-at-time.tsx';
import { undoable, useUndo } from '../panel/use-undo.ts';
import { useNames } from '../inputs/use-names.ts';
import { useRelatedMatches } from '../related/use-related.ts';
import { useSentMessages, type SentMessage } from '../panel/sent-messages.ts';
import { useHistory, type HistoryRecord } from '../panel/use-work-unit.ts';
import { VisitEntry } from '../visits/visits.tsx';
import { visitMoments, type VisitMoment } from '../visits/visit-moments.ts';
import { useVisits } from '../visits/use-visits.ts';
import type * as UnitFromNote from '../review/unit-from-note.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import './feed.css';

const t = workUnitTexts;
const filters = ['all', 'notes', 'history'] as const;
type Filter = (typeof filters)[number];
const filterLabels: Record<Filter, string> = { all: t.feedAll, notes: t.feedNotes, history: t.feedHistory };
/** Entries per page; a unit may have hundreds. */
const step = 50;

/** Makes a unit of the words of a note; its code loads at the first click. */
async function newUnit(...input: Parameters<typeof UnitFromNote.unitFromNote>): Promise<void> {
  try {
    await (await import('../review/unit-from-note.ts')).unitFromNote(...input);
  } catch (error) {
    toastFailure(error, reviewTexts.newFailed);
  }
}

/** Parameters of the address: the kind of entries, and the entry of the open past version. */
function useFeedAddress() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const set = (name: 'feed' | 'at', value: string | undefined, replace: boolean) =>
    setAddress(
      (next) => {
        if (value === undefined) next.delete(name);
        else next.set(name, value);
        return undefined;
      },
      { replace, now: true },
    );
  const at = Number(params.get('at') ?? Number.NaN);
  return {
    filter: filters.find((filter) => filter === params.get('feed')) ?? 'all',
    at: Number.isSafeInteger(at) ? at : undefined,
    choose: (filter: Filter) => set('feed', filter === 'all' ? undefined : filter, true),
    open: (id: number) => set('at', String(id), false),
    go: (id: number | undefined) => set('at', id === undefined ? undefined : String(id), true),
  };
}

/** Finds the rule of an entry which reports that a rule opened the unit or matched again; none if the rule was renamed since. */
function useOpeningRule(unit: PanelWorkUnit): (entry: HistoryRecord) => EntryRule | undefined {
  const { data: matches = [] } = useRelatedMatches(unit);
  const rules = unit.rule ? [unit.rule] : matches.flatMap(({ rule }) => rule ?? []);
  return ({ historyType, detail }) =>
    historyType === 'WorkUnitEvent'
      ? rules.find(({ name }) => detail === `Opened by the rule ${name}.` || detail.includes(`he rule ${name} matched again.`))
      : undefined;
}

/** An entry of the feed, or a message about the unit. */
interface TimelineItem {
  at: string;
  entry?: HistoryRecord;
  message?: SentMessage;
  visit?: VisitMoment;
}

interface FeedProps {
  unit: PanelWorkUnit;
  /** The box for a note, in which one is quoted. */
  composer: RefObject<Composer | null>;
}

export function Feed({ unit, composer }: FeedProps) {
  const may = useMay();
  const [mayWrite, mayCreate] = [may('WorkUnits', 'edit'), may('WorkUnits', 'create')];
  const { open: openPanel } = usePanel('workUnitId');
  const openUnit = (id: number) => openPanel(String(id));
  const history = useHistory(unit.workUnitId);
  const { filter, at, choose, open, go } = useFeedAddress();
  const [limit, setLimit] = useState(step);
  const names = useNames(unit);
  const undo = useUndo(unit, history.data ?? [], names);
  const ruleOf = useOpeningRule(unit);
  const every = (history.data ?? []).toSorted((a, b) => b.created.localeCompare(a.created) || b.id - a.id);
  const { messages } = useSentMessages(unit);
  const visits = visitMoments(useVisits(unit.workUnitId));
  const items: readonly TimelineItem[] = [
    ...every.filter((entry) => filter === 'all' || isNote(entry) === (filter === 'notes')).map((entry) => ({ at: entry.created, entry })),
    ...(filter === 'notes' ? [] : (messages ?? [])).map((message) => ({ at: message.at, message })),
    ...(filter === 'notes' ? [] : visits).map((visit) => ({ at: visit.at, visit })),
  ].toSorted((a, b) => b.at.localeCompare(a.at));
  return (
    <section className="feed" aria-label={t.feed}>
      <div className="feed-head">
        <h3>{t.feed}</h3>
        <span className="grow" />
        <div className="segments" role="group" aria-label={t.feed}>
          {filters.map((item) => (
            <button key={item} type="button" aria-pressed={item === filter} onClick={() => choose(item)}>
              {filterLabels[item]}
            </button>
          ))}
        </div>
      </div>
      <ToCome unit={unit} />
      {history.isLoading && (
        <p>
          <Skeleton width="70%" />
        </p>
      )}
      {history.error && !history.data && <ErrorState small title={t.feedFailed} onRetry={() => void history.refetch()} />}
      {history.data && items.length === 0 && <EmptyState small title={t.feedEmpty} />}
      <ol>
        {items
          .slice(0, limit)
          .map(({ entry, message, visit }) =>
            message ? (
              <MessageEntry key={message.key} message={message} />
            ) : visit ? (
              <VisitEntry key={visit.key} moment={visit} />
            ) : (
              entry && (
                <Entry
                  key={entry.id}
                  entry={entry}
                  rule={ruleOf(entry)}
                  onOpen={entry.mergedNumber === undefined ? () => open(entry.id) : undefined}
                  onNewUnit={mayCreate && isNote(entry) ? (words) => void newUnit(unit, words, openUnit) : undefined}
                  onQuote={mayWrite && isNote(entry) ? () => composer.current?.quote(entry.detail) : undefined}
                  onUndo={undo && entry.mergedNumber === undefined && undoable(unit, entry) === 'yes' ? () => void undo(entry) : undefined}
                />
              )
            ),
          )}
      </ol>
      {items.length > limit && (
        <Button small look="quiet" onClick={() => setLimit(limit + step)}>
          {historyTexts.earlier}
        </Button>
      )}
      {at !== undefined && history.data && (
        <UnitAtTime unit={unit} entries={every.filter(({ mergedNumber }) => mergedNumber === undefined)} at={at} onGo={go} onUndo={undo} />
      )}
    </section>
  );
}
