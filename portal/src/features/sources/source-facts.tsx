import { Link } from 'react-router';
import { newSourceToken } from '@cloudfit/contract/calls.ts';
import { sourceTexts as t } from '@cloudfit/contract/messages/sources.en.ts';
import { sources } from '@cloudfit/contract/resources/sources.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { command } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { decimalText } from '../../theme/times.ts';
import { PasteBox } from './paste-box.tsx';
import { isNearCap, rateNow, type NewSource, type SourceEntity } from './source-row.ts';
import { SourceState } from './source-state.tsx';

const renewToken = command(({ sourceId: id }: SourceEntity) => call(newSourceToken, { id }), {
  confirm: ({ name }) => ({ title: t.newToken, text: t.newTokenQuestion(name), yes: t.newToken, danger: true }),
  failed: ({ name }) => t.newTokenFailed(name),
  refreshes: [sources.name],
});

/** Within which time it must report, and the work unit that is open because it has not. */
function MustReport({ source: { reportWithin, lateSince, lateWorkUnitId, tenantId } }: { source: SourceEntity }) {
  if (!lateSince) return reportWithin;
  return (
    <>
      {reportWithin}, {t.lateSince} <RelativeTime value={lateSince} />
      {lateWorkUnitId !== null && (
        <>
          {' '}
          <Link to={`/${tenantId}/workunitsv2?workUnitId=${lateWorkUnitId}`}>{t.lateUnit}</Link>
        </>
      )}
    </>
  );
}

/** What a source has sent, and how a program is pointed at it. */
export function SourceFacts({ source, onToken }: { source: SourceEntity; onToken: (source: NewSource) => void }) {
  const may = useMay();
  const renew = async () => {
    const done = await renewToken(source);
    if (done) onToken({ ...source, ...done.answer });
  };
  const facts: readonly [string, React.ReactNode][] = [
    [t.lastData, source.lastData ? <RelativeTime key="lastData" value={source.lastData} /> : t.none],
    ...(source.reportWithin ? [[t.mustReport, <MustReport key="mustReport" source={source} />] as [string, React.ReactNode]] : []),
    [t.rate, decimalText(rateNow(source, Date.now()), 1)],
    [t.stored, decimalText(source.packetsStored, 0)],
    [t.refused, decimalText(source.packetsRefused, 0)],
    [t.newNames, t.newNamesOf(decimalText(source.entitiesMade, 0), decimalText(source.entityCap, 0))],
  ];
  return (
    <section className="form-section" aria-label={t.state}>
      <div className="receiver-state">
        <SourceState source={source} />
        <span className="mono faint">{source.tokenHint}</span>
        <span className="grow" />
        {may('Sources', 'edit') && (
          <Button small icon="refresh" onClick={() => void renew()}>
            {t.newToken}
          </Button>
        )}
      </div>
      <dl className="receiver-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {isNearCap(source) && <p className="notice">{t.nearCap}</p>}
      <PasteBox source={source} />
    </section>
  );
}
