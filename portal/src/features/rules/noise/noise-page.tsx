/** What each rule costs people: matches, units, units that nobody worked on, and advice that would reduce them. */
import { Link, useParams, useSearchParams } from 'react-router';
import { ruleNoiseReport } from '@cloudfit/contract/calls.ts';
import { noiseTexts as t } from '@cloudfit/contract/messages/noise.en.ts';
import type { RuleNoise } from '@cloudfit/contract/noise/calls.ts';
import { adviceFor } from '@cloudfit/contract/noise/advice.ts';
import { useCall } from '../../../api/call.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { Chip } from '../../../components/chips.tsx';
import { usePageTitle } from '../../../components/page-title.ts';
import { EmptyState, Skeleton } from '../../../components/states.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { backtestParam } from '../editor/backtest/use-backtest.ts';
import './noise.css';

const periods = [7, 28, 90];
const usualDays = 28;

function NoiseRow({ noise, tenantId }: { noise: RuleNoise; tenantId: string }) {
  const { ruleId, name, enabled, matches, subjects, units, repeats, idle, ended, minutes } = noise;
  const advice = adviceFor(noise);
  const address = `/${tenantId}/rules?id=${ruleId}${enabled ? '' : '&q=disabled'}`;
  return (
    <tr>
      <td className="strong">
        <Link to={address}>{name}</Link> {!enabled && <Chip tone="plain">{t.disabled}</Chip>}
        <div className="faint">{t.subjects(subjects)}</div>
      </td>
      <td className="end" data-label={t.columns.matches}>
        {matches}
      </td>
      <td className="end" data-label={t.columns.units}>
        {units}
      </td>
      <td className="end" data-label={t.columns.repeats}>
        {repeats}
      </td>
      <td className="end" data-label={t.columns.idle}>
        {ended === 0 ? '—' : t.idleOf(idle, ended)}
      </td>
      <td className="end" data-label={t.columns.hours}>
        {(minutes / 60).toFixed(1)}
      </td>
      <td className="noise-advice">
        {advice.map((item) => (
          <p key={item}>{t.advice[item](noise)}</p>
        ))}
        {advice.length === 0 && <span className="faint">{t.nothing}</span>}
        {advice.length > 0 && (
          <Link to={`${address}&${backtestParam}=new`} aria-label={t.backtestOf(name)}>
            {t.backtest}
          </Link>
        )}
      </td>
    </tr>
  );
}

function NoiseOfTenant({ tenantId }: { tenantId: string }) {
  const [params, setParams] = useSearchParams();
  const chosen = Number(params.get('days'));
  const days = periods.includes(chosen) ? chosen : usualDays;
  const { data, error, refetch } = useCall(ruleNoiseReport, { tenantId, days }, { staleTime: 60_000 });
  return (
    <div className="noise-page">
      <div className="noise-head">
        <p className="muted">{t.text}</p>
        <label>
          <span className="visually-hidden">{t.period}</span>
          <Select
            value={days}
            choices={periods.map((value) => ({ value, label: t.days(value) }))}
            onChange={(value) => setParams({ days: String(value) }, { replace: true })}
          />
        </label>
      </div>
      <Loaded
        query={{ data: data?.value, error, refetch }}
        failed={t.failed}
        loading={<Skeleton width="60%" />}
        empty={<EmptyState icon="rules" title={t.none} text={t.noneText} />}
      >
        {(rows) => (
          <div className="noise-scroll">
            <table className="table" aria-label={t.title}>
              <thead>
                <tr>
                  {Object.entries(t.columns).map(([id, label]) => (
                    <th key={id} scope="col" className={id === 'rule' || id === 'advice' ? undefined : 'end'}>
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((noise) => (
                  <NoiseRow key={noise.ruleId} noise={noise} tenantId={tenantId} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </div>
  );
}

export function NoisePage() {
  usePageTitle(t.title);
  const { tenantId } = useParams();
  return tenantId ? <NoiseOfTenant tenantId={tenantId} /> : null;
}
