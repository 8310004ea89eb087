/** The ledger as one list: stuck, late, failed, waiting, held and suppressed entries. The address holds the filters. */
import { useParams, useSearchParams } from 'react-router';
import type { LedgerEntry } from '@cloudfit/contract/actions/ledger.ts';
import { ledgerKinds, ledgerStates } from '@cloudfit/contract/ledger.ts';
import { activityTexts as t } from '@cloudfit/contract/messages/activity.en.ts';
import { usePageTitle } from '../../components/page-title.ts';
import { choicesOf, Select } from '../../components/fields/select.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { ActivityEntry } from './activity-entry.tsx';
import { Receivers } from './receivers.tsx';
import { maxOfKind, useActivity } from './use-activity.ts';
import { Loaded } from '../../calls/loaded.tsx';
import './activity.css';

const periods = [24, 168, 720] as const;

function useFilters() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const hours = periods.find((period) => String(period) === params.get('hours')) ?? 24;
  const set = (name: 'state' | 'kind' | 'hours', value: string) =>
    setAddress(
      (next) => {
        if (value === '') next.delete(name);
        else next.set(name, value);
        return undefined;
      },
      { replace: true },
    );
  return {
    hours,
    state: ledgerStates.find((ledgerState) => ledgerState === params.get('state')),
    kind: ledgerKinds.find((ledgerKind) => ledgerKind === params.get('kind')),
    set,
  };
}

function States({
  entries,
  chosen,
  onChoose,
}: {
  entries: readonly LedgerEntry[];
  chosen: string | undefined;
  onChoose: (state: string) => void;
}) {
  const counts = ledgerStates.map((state) => ({ state, count: entries.filter((entry) => entry.state === state).length }));
  return (
    <div className="activity-states" role="group" aria-label={t.state}>
      <button type="button" aria-pressed={chosen === undefined} onClick={() => onChoose('')}>
        {t.all} <span className="num">{entries.length}</span>
      </button>
      {counts
        .filter(({ state, count }) => count > 0 || state === chosen)
        .map(({ state, count }) => (
          <button key={state} type="button" aria-pressed={chosen === state} onClick={() => onChoose(state)}>
            {t.states[state]} <span className="num">{count}</span>
          </button>
        ))}
    </div>
  );
}

function ActivityOf({ tenantId }: { tenantId: string }) {
  const { hours, state, kind, set } = useFilters();
  const activity = useActivity(tenantId, hours);
  const ofKind = (activity.data ?? []).filter((row) => kind === undefined || row.kind === kind);
  const entries = ofKind.filter((item) => state === undefined || item.state === state);
  return (
    <div className="activity-page">
      <div className="activity-bar">
        <States entries={ofKind} chosen={state} onChoose={(next) => set('state', next)} />
        <span className="grow" />
        <Select
          className="activity-select"
          aria-label={t.kind}
          value={kind ?? ''}
          none={t.allKinds}
          choices={choicesOf(ledgerKinds, t.kinds)}
          onChange={(next) => set('kind', next)}
        />
        <Select
          className="activity-select"
          aria-label={t.period}
          value={hours}
          choices={choicesOf(periods, t.periods)}
          onChange={(next) => set('hours', next === 24 ? '' : String(next))}
        />
      </div>
      <Receivers tenantId={tenantId} />
      <Loaded
        query={activity}
        small={false}
        failed={t.failed}
        empty={<EmptyState icon="check" title={t.none} text={t.noneText(t.periods[hours])} />}
      >
        {() => entries.length === 0 && <EmptyState icon="check" title={t.noneOf} />}
      </Loaded>
      {entries.length > 0 && (
        <ul className="activity-card activity-list" aria-label={t.list}>
          {entries.map((entry) => (
            <ActivityEntry key={`${entry.kind} ${entry.id} ${entry.ruleId} ${entry.state}`} entry={entry} />
          ))}
        </ul>
      )}
      {entries.length >= maxOfKind && <p className="faint">{t.shortened(maxOfKind)}</p>}
    </div>
  );
}

export function ActivityPage() {
  const { tenantId = '' } = useParams();
  usePageTitle(t.title);
  return <ActivityOf key={tenantId} tenantId={tenantId} />;
}
