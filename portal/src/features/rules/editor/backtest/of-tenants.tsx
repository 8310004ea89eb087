/** The result of a backtest at all tenants of a rule: in sum, and by tenant. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import type { getBacktestOfTenants } from '@cloudfit/contract/calls.ts';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { backtestTexts } from '@cloudfit/contract/messages/backtest.en.ts';
import { Loaded } from '../../../../calls/loaded.tsx';
import { Button } from '../../../../components/button.tsx';
import { ProgressBar } from '../../../../components/progress-bar.tsx';
import { countText } from '../../../../components/count.ts';
import { Timeline } from './backtest-outcome.tsx';
import { useStopBatch } from './use-backtest.ts';

type TriedBatch = CallOutput<typeof getBacktestOfTenants>;
type TriedTenant = TriedBatch['tenants'][number];

const t = backtestTexts.ofTenants;
const namedAtMost = 10;

function namesOf(tenants: readonly TriedTenant[]): string {
  const names = tenants.slice(0, namedAtMost).map(({ name }) => name);
  return [names.join(', '), ...(tenants.length > namedAtMost ? [t.more(tenants.length - namedAtMost)] : [])].join(' ');
}

const doneIn = (tenants: readonly TriedTenant[]) => tenants.filter(({ state }) => state !== 'queued' && state !== 'running').length;

function Progress({ batch, tried }: { batch: TriedBatch; tried: readonly TriedTenant[] }) {
  const stop = useStopBatch();
  return (
    <div className="try-progress" role="status">
      <div className="row">
        <span>{t.running(doneIn(tried), tried.length)}</span>
        <span className="grow" />
        <Button small disabled={stop.isPending} onClick={() => stop.mutate(batch.id)}>
          {backtestTexts.stop}
        </Button>
      </div>
      <ProgressBar done={batch.progress} all={1} label={backtestTexts.progress} />
    </div>
  );
}

function TenantRow({ tenant, compares, onShow }: { tenant: TriedTenant; compares: boolean; onShow: (id: string) => void }) {
  const { name, runId, state, error, figures } = tenant;
  if (!figures)
    return (
      <tr>
        <th scope="row">{name}</th>
        <td colSpan={compares ? 4 : 2} className="muted" title={error ?? undefined}>
          {state === 'done' ? '' : t.states[state]}
          {error && `: ${error}`}
        </td>
      </tr>
    );
  const { draft, inForce, difference } = figures;
  return (
    <tr>
      <th scope="row">
        <Button small look="quiet" onClick={() => onShow(runId)}>
          {name}
        </Button>
      </th>
      <td>{draft.matches}</td>
      {compares && <td>{inForce?.matches}</td>}
      {compares && <td>{difference && `+${difference.added} −${difference.removed}`}</td>}
      <td>{draft.workUnits}</td>
    </tr>
  );
}

function ByTenant({ tenants, compares, onShow }: { tenants: readonly TriedTenant[]; compares: boolean; onShow: (id: string) => void }) {
  // What has most to look at first; what is not over last.
  const weightOf = ({ figures }: TriedTenant) => (figures ? figures.draft.matches + (figures.inForce?.matches ?? 0) : -1);
  return (
    <section className="form-section" aria-label={t.list}>
      <h3>{t.list}</h3>
      <table className="try-days">
        <thead>
          <tr>
            <th scope="col">{t.tenant}</th>
            <th scope="col">{backtestTexts.draft}</th>
            {compares && <th scope="col">{backtestTexts.inForce}</th>}
            {compares && <th scope="col">{t.difference}</th>}
            <th scope="col">{backtestTexts.dayUnits}</th>
          </tr>
        </thead>
        <tbody>
          {tenants
            .toSorted((a, b) => weightOf(b) - weightOf(a))
            .map((tenant) => (
              <TenantRow key={tenant.runId} tenant={tenant} compares={compares} onShow={onShow} />
            ))}
        </tbody>
      </table>
    </section>
  );
}

function Sum({ batch: { sum, tenants } }: { batch: TriedBatch }) {
  const { draft, inForce, difference, timeline, inForceTimeline } = sum;
  const maxMatches = Math.max(1, ...[...timeline, ...(inForceTimeline ?? [])].map(({ matches }) => matches));
  const matching = tenants.filter(({ figures }) => figures && figures.draft.matches > 0).length;
  return (
    <>
      <p className="try-summary" role="status">
        {draft.matches === 0
          ? backtestTexts.none
          : [
              backtestTexts.summary(draft.matches, draft.entities),
              t.summary(matching, sum.tenants),
              ...(draft.workUnits === null || draft.calls === null ? [] : [t.units(draft.workUnits, draft.calls)]),
            ].join(' ')}
      </p>
      {difference && <p className="muted">{backtestTexts.difference(difference.same, difference.added, difference.removed)}</p>}
      {draft.matches > 0 && <Timeline outcome={{ timeline, matches: draft.matches }} label={backtestTexts.draft} maxMatches={maxMatches} />}
      {inForce && inForceTimeline && difference && difference.added + difference.removed > 0 && (
        <Timeline outcome={{ timeline: inForceTimeline, matches: inForce.matches }} label={backtestTexts.inForce} maxMatches={maxMatches} />
      )}
    </>
  );
}

export function OfTenants({ batch: query, onShow }: { batch: UseQueryResult<TriedBatch>; onShow: (id: string) => void }) {
  return (
    <Loaded query={query} failed={backtestTexts.notFound}>
      {(batch) => {
        const { tenants, sum, notes, isOver } = batch;
        const tried = tenants.filter(({ leftOut }) => leftOut === null);
        const leftOut = (why: TriedTenant['leftOut']) => tenants.filter((tenant) => tenant.leftOut === why);
        const [off, unread] = [leftOut('off'), leftOut('packets')];
        const wasStopped = tried.some(({ state, error }) => state === 'stopped' && error === null);
        return (
          <>
            {!isOver && <Progress batch={batch} tried={tried} />}
            {isOver && wasStopped && <p className="muted">{t.stopped(sum.tenants, tried.length)}</p>}
            {sum.tenants > 0 && <Sum batch={batch} />}
            {off.length > 0 && <p>{t.off(namesOf(off))}</p>}
            {unread.length > 0 && <p className="notice">{t.packets(namesOf(unread), countText(backtestLimits.packetsOfTenants))}</p>}
            <ByTenant tenants={tried} compares={sum.inForce !== null} onShow={onShow} />
            {notes.length > 0 && (
              <ul className="try-notes faint">
                {notes.map(({ text, tenants: n }) => (
                  <li key={text}>{n === sum.tenants ? text : t.ofSome(text, n)}</li>
                ))}
              </ul>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
