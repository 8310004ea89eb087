import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { Chip } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { matchAddress } from '../../entities/explanations/addresses.ts';
import { WhyLink } from '../../entities/explanations/why-link.tsx';
import { fetchPage } from '../../rows/use-rows.ts';
import { AgeCell, MetricCell } from './live-cells.tsx';
import './device-now.css';

const t = deviceTexts;

/** The device's current values and the open matches of its rules. */
export function DeviceNow({ id }: { id: string }) {
  const may = useMay();
  const { data } = useQuery({
    queryKey: [ruleMatches.name, 'ofSubject', id],
    queryFn: ({ signal }) =>
      fetchPage(
        ruleMatches,
        {
          filter: and(eq(ruleMatches, 'subjectId', id), eq(ruleMatches, 'closed', null)),
          expand: ['rule'],
          orderBy: 'created desc',
          top: 5,
        },
        signal,
      ),
    enabled: may('Rules', 'view'),
  });
  return (
    <section className="device-now" aria-label={t.live}>
      <div>
        <h3>{t.cpu}</h3>
        <MetricCell id={id} metric="Cpu" label={t.cpu} />
      </div>
      <div>
        <h3>{t.memory}</h3>
        <MetricCell id={id} metric="Memory" label={t.memory} />
      </div>
      <div>
        <h3>{t.lastPacket}</h3>
        <AgeCell id={id} />
      </div>
      {data && data.rows.length > 0 && (
        <div className="matches">
          <h3>{t.openMatches}</h3>
          {data.rows.map((match) => (
            <p key={match.ruleMatchId} className="row">
              <Chip tone="danger" dot>
                {en.matches.active}
              </Chip>
              <Link to={`/${match.tenantId}/rules?id=${match.ruleId}`}>{match.rule?.name ?? match.label}</Link>
              <span className="muted">
                {en.matches.count(match.matchCount)}, <RelativeTime value={match.lastMatch} />
              </span>
              <WhyLink to={matchAddress(match.tenantId, match.ruleMatchId)} of={match.label} />
            </p>
          ))}
        </div>
      )}
    </section>
  );
}
