/** States over time: one bar in which each value has its section, its colour and its name. */
import { chartTexts as t } from '@cloudfit/contract/messages/charts.en.ts';
import { exactTime } from '../../theme/times.ts';
import './band-chart.css';

export interface ChartBand {
  /** In epoch milliseconds. */
  from: number;
  to: number;
  value: string | boolean;
  joined?: number | undefined;
}

interface BandChartProps {
  label: string;
  bands: readonly ChartBand[];
  from: number;
  to: number;
}

const tones: readonly (readonly [RegExp, string])[] = [
  [/^(ok|good|healthy|true|up|running|success|installed|online)$/i, 'ok'],
  [/^(bad|critical|failed|false|down|error|stopped|crit|offline)$/i, 'danger'],
  [/^(degraded|warning|warn|slow|partial)$/i, 'warn'],
];

export function toneOf(value: string | boolean): string {
  return tones.find(([words]) => words.test(String(value)))?.[1] ?? 'plain';
}

export function BandChart({ label, bands, from, to }: BandChartProps) {
  const share = (time: number) => (100 * (Math.min(to, Math.max(from, time)) - from)) / Math.max(1, to - from);
  return (
    <ol className="band-chart" aria-label={t.state(label)}>
      {bands.map((band) => {
        const times = `${exactTime(new Date(band.from).toISOString())} – ${exactTime(new Date(band.to).toISOString())}`;
        const words = band.joined ? `${String(band.value)} (${t.joined(band.joined)})` : String(band.value);
        return (
          <li
            key={band.from}
            className={toneOf(band.value)}
            style={{ left: `${share(band.from)}%`, width: `${Math.max(0.3, share(band.to) - share(band.from))}%` }}
            title={`${words}: ${times}`}
          >
            <span>{words}</span>
          </li>
        );
      })}
    </ol>
  );
}
