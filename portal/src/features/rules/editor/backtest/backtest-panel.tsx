/** Tries the rule in the form on recent packets. Nothing is saved and no action runs. */
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { startBacktest, startBacktestOfTenants } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { backtestTexts as t } from '@cloudfit/contract/messages/backtest.en.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { decimalText } from '../../../../theme/times.ts';
import { call } from '../../../../api/call.ts';
import { failureText } from '../../../../api/client.ts';
import { useTenants } from '../../../../api/lookups.ts';
import { Button } from '../../../../components/button.tsx';
import { Field } from '../../../../components/field.tsx';
import { choicesOf, Select } from '../../../../components/fields/select.tsx';
import { ProgressBar } from '../../../../components/progress-bar.tsx';
import { SidePanel } from '../../../../components/side-panel.tsx';
import { ErrorNotice, ErrorState, Skeleton } from '../../../../components/states.tsx';
import { newId } from '../../../../hooks/use-panel.ts';
import { ByEntity, Load, Timeline } from './backtest-outcome.tsx';
import { MatchLines } from './match-lines.tsx';
import { OfTenants } from './of-tenants.tsx';
import { PeriodInput, usePeriod } from './period-input.tsx';
import { maintenanceType, type RuleValues } from '../rule-draft.ts';
import {
  batchIn,
  batchParam,
  draftOf,
  isUnfinished,
  useBacktestRun,
  useBatch,
  useStopBacktest,
  type BacktestRun,
  type RuleOutcome,
} from './use-backtest.ts';

const resolvedAfters = ['01:00:00', '04:00:00', '24:00:00', '744:00:00'] as const;
/** Number of matches, and of differing matches, that are listed before somebody asks for more. */
const [matchesFirst, changesFirst] = [50, 10];

function Running({ run }: { run: BacktestRun }) {
  const stop = useStopBacktest();
  return (
    <div className="try-progress" role="status">
      <div className="row">
        <span>{run.state === 'queued' ? t.queued : t.running(run.packets)}</span>
        <span className="grow" />
        <Button small disabled={stop.isPending} onClick={() => stop.mutate(run.id)}>
          {t.stop}
        </Button>
      </div>
      <ProgressBar done={run.progress} all={1} label={t.progress} />
    </div>
  );
}

function effectsOf({ load, actions, workUnits, timeline }: RuleOutcome): string {
  const [first, second] = timeline;
  if (!load || !first)
    return t.effects(
      actions.reduce((sum, action) => sum + action.run, 0),
      workUnits,
    );
  const days = second ? ((Date.parse(second.from) - Date.parse(first.from)) * timeline.length) / 86_400_000 : 1;
  const { summaries, braked } = load;
  return [
    `${t.added(load.workUnits, load.added, load.reopened)}.`,
    t.calls(load.calls, load.steps, decimalText(load.calls / Math.max(days, 1), 1)),
    ...(summaries > 0 ? [t.summaries(summaries)] : []),
    ...(braked > 0 ? [t.braked(braked)] : []),
  ].join(' ');
}

/** The matches that only one of the two rules opens. */
function Changes({ run: { rule, inForce, result } }: { run: BacktestRun }) {
  if (!result?.difference) return null;
  const { same, added, removed } = result.difference;
  if (same + added + removed === 0) return null;
  const lists = [
    { change: 'added', matches: result.draft.differing, total: added, of: rule },
    { change: 'removed', matches: result.inForce?.differing, total: removed, of: inForce },
  ] as const;
  return (
    <section className="form-section try-changes" aria-label={t.changes}>
      <h3>{t.changes}</h3>
      <p className="muted">{t.difference(same, added, removed)}</p>
      {lists.map(
        ({ change, matches, total, of }) =>
          matches &&
          of &&
          total > 0 && (
            <div key={change}>
              <h4>{t.changeLists[change](total)}</h4>
              <MatchLines matches={matches} total={total} rule={of} ruleId={inForce?.ruleId} change={change} first={changesFirst} />
            </div>
          ),
      )}
    </section>
  );
}

function Result({ run, result }: { run: BacktestRun; result: NonNullable<BacktestRun['result']> }) {
  const { draft, inForce, difference, notes } = result;
  const maxMatches = Math.max(1, ...[draft, inForce].flatMap((item) => item?.timeline.map((part) => part.matches) ?? []));
  const differs = difference !== null && difference.added + difference.removed > 0;
  return (
    <>
      <p className="try-summary" role="status">
        {draft.matches > 0 ? `${t.summary(draft.matches, draft.entities)} ${effectsOf(draft)}` : t.none}
      </p>
      {draft.error && <p className="notice error">{t.failed(draft.failed, draft.error)}</p>}
      {(draft.matches > 0 || differs) && <Timeline outcome={draft} label={t.draft} maxMatches={maxMatches} />}
      {inForce && differs && <Timeline outcome={inForce} label={t.inForce} maxMatches={maxMatches} />}
      {inForce?.load && differs && (
        <p className="muted">
          {t.inForce}: {effectsOf(inForce)}
        </p>
      )}
      <Changes run={run} />
      {draft.load && <Load load={draft.load} />}
      <ByEntity outcome={draft} tenantId={run.tenantId} />
      {draft.matches > 0 && (
        <section className="form-section" aria-label={t.list}>
          <h3>{t.list}</h3>
          <MatchLines matches={draft.list} total={draft.matches} rule={run.rule} ruleId={run.inForce?.ruleId} first={matchesFirst} />
        </section>
      )}
      {notes.length > 0 && (
        <ul className="try-notes faint">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}

export interface BacktestPanelProps {
  /** The run's id, or `new`. */
  id: string;
  values: RuleValues;
  /** Of a rule of several tenants: its group, and the name of the chosen tenant. */
  many?: { tenantGroupId: string | null; at: string } | undefined;
  /** The saved rule to compare with. */
  ruleId: string | undefined;
  /** Whether the rule in the form has errors. */
  isWrong: boolean;
  onShow: (id: string) => void;
  onClose: () => void;
}

export function BacktestPanel({ id, values, many, ruleId, isWrong, onShow, onClose }: BacktestPanelProps) {
  const period = usePeriod();
  const [resolvedAfter, setResolvedAfter] = useState<string>('04:00:00');
  const [tried, setTried] = useState<RuleValues>();
  const [isOfAll, setOfAll] = useState(many !== undefined);
  const batchId = batchIn(id);
  const { data: run, error, refetch } = useBacktestRun(id === newId || batchId !== null ? null : id);
  const batch = useBatch(batchId);
  const { data: tenants } = useTenants();
  const start = useMutation({
    mutationFn: async () => {
      const { tenantId, subscriptionId, ...rule } = draftOf(values);
      const how = { ruleId, resolvedAfter, ...period.read() };
      if (!many || !isOfAll) return (await call(startBacktest, { rule: { ...rule, tenantId, subscriptionId }, ...how })).id;
      const { id: started } = await call(startBacktestOfTenants, { rule, tenantGroupId: many.tenantGroupId, ...how });
      return batchParam(started);
    },
  });
  const why = values.ruleTypeId === maintenanceType ? t.maintenance : isWrong ? t.incomplete : period.problem;
  const isRunning = batchId === null ? run !== undefined && isUnfinished(run) : batch.data?.isOver === false;
  const isBusy = start.isPending || isRunning;
  const ofRun = many && run && tenants?.find(({ tenantId }) => tenantId === run.tenantId)?.name;
  const begin = async () => {
    if (isBusy) return;
    try {
      const started = await start.mutateAsync();
      setTried(values);
      onShow(started);
    } catch (failure) {
      // The panel shows this error from `start.error`.
      console.warn(failure);
    }
  };
  return (
    <SidePanel
      title={ofRun === undefined ? t.title : `${t.title} ${ruleEditorTexts.now.at(ofRun)}`}
      onClose={onClose}
      footer={<Button onClick={onClose}>{en.common.close}</Button>}
    >
      <div className="body">
        <p className="muted">{many && isOfAll ? `${t.text} ${t.ofTenants.text}` : t.text}</p>
        <div className="try-start">
          {many && (
            <Field label={t.ofTenants.where}>
              {(aria) => (
                <Select
                  {...aria}
                  value={isOfAll ? 'all' : 'one'}
                  choices={choicesOf(['all', 'one'], { all: t.ofTenants.all, one: t.ofTenants.one(many.at) })}
                  onChange={(where) => setOfAll(where === 'all')}
                />
              )}
            </Field>
          )}
          <PeriodInput period={period} />
          <Field label={t.resolvedAfter}>
            {(aria) => (
              <Select {...aria} value={resolvedAfter} choices={choicesOf(resolvedAfters, t.resolvedAfters)} onChange={setResolvedAfter} />
            )}
          </Field>
          {/* Keeps the focus during the run; a disabled button would lose it. */}
          <Button look="primary" autoFocus disabled={why !== undefined} aria-disabled={isBusy} onClick={() => void begin()}>
            {t.start}
          </Button>
        </div>
        {why && <p className="notice">{why}</p>}
        <ErrorNotice text={start.error && failureText(start.error)} />
        {tried && tried !== values && <p className="notice">{t.changed}</p>}
        {run?.batchId && (
          <Button small look="quiet" onClick={() => onShow(batchParam(run.batchId ?? ''))}>
            {t.ofTenants.back}
          </Button>
        )}
        {batchId !== null && <OfTenants batch={batch} onShow={onShow} />}
        {error && !run && <ErrorState small title={t.notFound} text={failureText(error)} onRetry={() => void refetch()} />}
        {id !== newId && batchId === null && !run && !error && <Skeleton width="60%" />}
        {run && isUnfinished(run) && <Running run={run} />}
        {run?.state === 'stopped' && <p className="muted">{t.stopped}</p>}
        <ErrorNotice text={run?.state === 'failed' && (run.error ?? en.failure.unknown)} />
        {run?.result && <Result key={run.id} run={run} result={run.result} />}
      </div>
    </SidePanel>
  );
}
