/** A backtest of the rule: start, progress, cancel. The address holds the run. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import type { BacktestOutcome, BacktestRule } from '@cloudfit/contract/actions/backtest.ts';
import type { CallInput, CallOutput } from '@cloudfit/contract/call.ts';
import { getBacktest, getBacktestOfTenants, stopBacktest, stopBacktestOfTenants, type startBacktest } from '@cloudfit/contract/calls.ts';
import { call, callQuery } from '../../../../api/call.ts';
import { useAddress } from '../../../../hooks/use-address.ts';
import { panelPrefix } from '../../../../hooks/use-panel.ts';
import { wireOf, type RuleValues } from '../rule-draft.ts';

/** The address parameter with the id of the run. */
export const backtestParam = `${panelPrefix}try`;
const pollMs = 1_000;

export type RuleOutcome = BacktestOutcome;

/** The server declares the rules as JSON, because earlier versions stored them in their way. */
export interface BacktestRun extends CallOutput<typeof getBacktest> {
  rule: BacktestRule;
  /** As it was saved, with its id. */
  inForce: (BacktestRule & { ruleId?: string }) | null;
}

export const isUnfinished = (run: CallOutput<typeof getBacktest>) => run.state === 'queued' || run.state === 'running';

/** The open backtest in the address; `new` before it starts. */
export function useBacktestParam() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const show = (id: string | null) =>
    setAddress(
      (now) => {
        if (id === null) now.delete(backtestParam);
        else now.set(backtestParam, id);
        return undefined;
      },
      { replace: true, now: true },
    );
  return { id: params.get(backtestParam), show };
}

const runQuery = (id: string) => callQuery(getBacktest, { id }, { quiet: false });

export function useBacktestRun(id: string | null) {
  return useQuery({
    ...runQuery(id ?? ''),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? pollMs : false),
    select: (run) => run as BacktestRun,
  });
}

const ofBatch = 'all.';
/** The address parameter of a backtest over tenants. */
export const batchParam = (id: string) => `${ofBatch}${id}`;
export const batchIn = (param: string) => (param.startsWith(ofBatch) ? param.slice(ofBatch.length) : null);

const batchQuery = (id: string) => callQuery(getBacktestOfTenants, { id }, { quiet: false });

export function useBatch(id: string | null) {
  return useQuery({
    ...batchQuery(id ?? ''),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && !state.data.isOver ? pollMs : false),
  });
}

export function useStopBatch() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(stopBacktestOfTenants, { id }),
    onSuccess: (batch, id) => client.setQueryData(batchQuery(id).queryKey, batch),
  });
}

/** The parts of a rule that a backtest needs. The server checks a rule that is not complete. */
export function draftOf(values: RuleValues): CallInput<typeof startBacktest>['rule'] {
  const { enabled: _enabled, description: _description, color: _color, ...rule } = wireOf(values);
  return rule as CallInput<typeof startBacktest>['rule'];
}

export function useStopBacktest() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(stopBacktest, { id }),
    onSuccess: (run, id) => client.setQueryData(runQuery(id).queryKey, run),
  });
}
