/** A backtest of the rule: start, progress, cancel. The address holds the run. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import type { BacktestOutcome, BacktestResult, BacktestRule } from '@cloudfit/contract/actions/backtest.ts';
import { callJson } from '../../../../api/client.ts';
import { useAddress } from '../../../../hooks/use-address.ts';
import { panelPrefix } from '../../../../hooks/use-panel.ts';
import { wireOf, type RuleValues } from '../rule-draft.ts';

/** The address parameter with the id of the run. */
export const backtestParam = `${panelPrefix}try`;
const path = '/v1/rules/backtest';
const pollMs = 1_000;

export type RuleOutcome = BacktestOutcome;

export interface BacktestRun {
  id: string;
  state: 'queued' | 'running' | 'done' | 'stopped' | 'failed';
  /** Progress from 0 to 1. */
  progress: number;
  packets: number;
  error: string | null;
  created: string;
  /** The rule as it was tried, and the saved rule that it was compared with. */
  rule: BacktestRule;
  inForce: BacktestRule | null;
  result: BacktestResult | null;
}

export const isUnfinished = (run: BacktestRun) => run.state === 'queued' || run.state === 'running';

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

export function useBacktestRun(id: string | null) {
  return useQuery({
    queryKey: ['backtest', id],
    queryFn: ({ signal }) => callJson<BacktestRun>(`${path}/${id}`, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? pollMs : false),
  });
}

/** The parts of a rule that a backtest needs. */
export function draftOf(values: RuleValues): Record<string, unknown> {
  const { enabled: _enabled, description: _description, color: _color, ...rule } = wireOf(values);
  return rule;
}

interface BacktestRequest {
  values: RuleValues;
  /** The saved rule to compare with. */
  ruleId: string | undefined;
  /** Start and end as ISO times; without `to`, the period ends now. */
  period: { from: string; to?: string };
  /** How long each work unit is assumed to stay open: hh:mm:ss. */
  resolvedAfter: string;
}

export function useStartBacktest() {
  return useMutation({
    mutationFn: ({ values, ruleId, period, resolvedAfter }: BacktestRequest) =>
      callJson<{ id: string }>(path, {
        method: 'POST',
        body: {
          rule: draftOf(values),
          ...(ruleId ? { ruleId } : {}),
          resolvedAfter,
          ...period,
        },
      }),
  });
}

export function useStopBacktest() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => callJson<BacktestRun>(`${path}/${id}/stop`, { method: 'POST' }),
    onSuccess: (run, id) => client.setQueryData(['backtest', id], run),
  });
}
