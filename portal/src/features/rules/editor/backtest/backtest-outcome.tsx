/** The result of a backtest: how many matches, when, and for which devices. */
import { Link } from 'react-router';
import { backtestTexts as t } from '@cloudfit/contract/messages/backtest.en.ts';
import { Bars } from '../../../../components/chart/bars.tsx';
import { clockTime, exactTime } from '../../../../theme/times.ts';
import { whyAddress } from '../../../../entities/explanations/addresses.ts';
import type { RuleOutcome } from './use-backtest.ts';

type TimelineOutcome = Pick<RuleOutcome, 'timeline' | 'matches'>;

/** One bar per section of the period, all on one scale. */
export function Timeline({ outcome, label, maxMatches }: { outcome: TimelineOutcome; label: string; maxMatches: number }) {
  const { timeline, matches } = outcome;
  const [first, second] = timeline;
  const last = timeline.at(-1);
  const width = first && second ? Date.parse(second.from) - Date.parse(first.from) : 0;
  const bars = timeline.map(({ from, matches: count }) => ({ from: Date.parse(from), to: Date.parse(from) + width, count }));
  return (
    <figure className="try-timeline">
      <figcaption className="row">
        <b>{label}</b>
        <span className="grow" />
        <span className="num">{t.matches(matches)}</span>
      </figcaption>
      <Bars label={t.timeline(label, matches)} bars={bars} max={maxMatches} countText={t.matches} />
      {first && last && (
        <div className="row faint">
          <span>{exactTime(first.from)}</span>
          <span className="grow" />
          <span>{exactTime(last.from)}</span>
        </div>
      )}
    </figure>
  );
}

const maxSimulated = 2_000;

/** Work units and calls per day, for each day that has any. */
export function Load({ load }: { load: NonNullable<RuleOutcome['load']> }) {
  if (load.days.length === 0) return null;
  return (
    <section className="form-section" aria-label={t.perDay}>
      <h3>{t.perDay}</h3>
      <table className="try-days">
        <thead>
          <tr>
            <th scope="col">{t.day}</th>
            <th scope="col">{t.dayUnits}</th>
            <th scope="col">{t.dayCalls}</th>
          </tr>
        </thead>
        <tbody>
          {load.days.map(({ day, workUnits, calls }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>{workUnits}</td>
              <td>{calls}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {load.simulated >= maxSimulated && <p className="faint">{t.simulated(load.simulated)}</p>}
    </section>
  );
}

/** The devices and blocks with the most matches, each with a bar on one scale. */
export function ByEntity({ outcome, tenantId }: { outcome: RuleOutcome; tenantId: string }) {
  const ranked = outcome.byEntity ?? [];
  const maxMatches = ranked[0]?.matches ?? 0;
  // A list of one entity would repeat the sentence above it.
  if (ranked.length < 2) return null;
  return (
    <section className="form-section" aria-label={t.byEntity}>
      <h3>{t.byEntity}</h3>
      <ol className="try-matches try-entities">
        {ranked.map(({ entityId, entityName, matches, last }) => (
          <li key={entityId} className="row match-line">
            <Link className="ellipsis" to={whyAddress(tenantId, { entityId, at: last })} title={t.whyThen}>
              {entityName || t.unnamed}
            </Link>
            <span className="try-share">
              <i style={{ width: `${(matches / maxMatches) * 100}%` }} />
            </span>
            <span className="num">{t.matches(matches)}</span>
            <span className="faint num">{t.lastAt(clockTime(last))}</span>
          </li>
        ))}
      </ol>
      {outcome.entities > ranked.length && <p className="faint">{t.firstEntities(ranked.length, outcome.entities)}</p>}
    </section>
  );
}
