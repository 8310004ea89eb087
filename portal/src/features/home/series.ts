/** The series of the chart's columns, from the bottom up. */
import { openStates, severities, workUnitStates, type WorkUnitState } from '@cloudfit/contract/enums.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Day, Split } from './open-over-time.ts';

export type SeriesPattern = 'diagonal' | 'dots' | 'lines' | 'cross';

export interface Series {
  name: string;
  label: string;
  /** A colour token, such as `--sev0`. */
  color: string;
  pattern?: SeriesPattern;
}

const bySeverity: readonly Series[] = severities.map((name, at) => {
  const pattern = [undefined, 'diagonal', 'dots', 'lines', 'cross'][at] as SeriesPattern | undefined;
  return { name, label: name, color: `--sev${at}`, ...(pattern ? { pattern } : {}) };
});

const looks: Partial<Record<WorkUnitState, Pick<Series, 'color' | 'pattern'>>> = {
  New: { color: '--sev0' },
  Acknowledged: { color: '--sev2', pattern: 'diagonal' },
  InProgress: { color: '--sev3', pattern: 'dots' },
  OnHold: { color: '--muted', pattern: 'lines' },
  Mitigated: { color: '--ok', pattern: 'cross' },
};

export function stateLabel(state: string): string {
  return workUnits.fields.stateId.choices?.find((choice) => choice.value === state)?.label ?? state;
}

const byState: readonly Series[] = workUnitStates
  .filter((state) => openStates.includes(state))
  .map((name) => ({ name, label: stateLabel(name), color: '--muted', ...looks[name] }));

export function seriesOf(split: Split): readonly Series[] {
  return split === 'severity' ? bySeverity : byState;
}

/** The day's counts in the order of the series. */
export function countsOf(day: Day, series: readonly Series[]): readonly number[] {
  return series.map(({ name }) => day.bySeverity[name] ?? day.byState[name] ?? 0);
}
