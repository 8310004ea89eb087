/** The tickets and messages of a unit in trackers and chats: their state there, and whether both are in step. */
import { eq } from '@cloudfit/contract/query/build.ts';
import { unitLinkTexts as t } from '@cloudfit/contract/messages/unit-links.en.ts';
import { unitLinks } from '@cloudfit/contract/resources/unit-links.ts';
import { Chip } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { ErrorNotice } from '../../../components/states.tsx';
import { useList } from '../../../rows/use-rows.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const limit = 20;

/** An address that a browser opens: a service could send any text as one. */
const opens = (url: string | null): url is string => url !== null && /^https?:\/\//i.test(url);

export function UnitLinks({ unit: { workUnitId } }: { unit: PanelWorkUnit }) {
  const { data } = useList(unitLinks, { filter: eq(unitLinks, 'workUnitId', workUnitId), top: limit }, { together: true });
  const links = data?.rows ?? [];
  if (links.length === 0) return null;
  return (
    <section className="unit-card unit-articles" aria-label={t.heading}>
      <h3>{t.heading}</h3>
      <ul>
        {links.map(({ unitLinkId, service, name, url, remoteState, lastSync, problem }) => (
          <li key={unitLinkId}>
            <strong>{service}</strong>
            {opens(url) ? (
              <a className="link ellipsis" href={url} target="_blank" rel="noreferrer" title={t.open(service, name)}>
                {name}
              </a>
            ) : (
              <span className="ellipsis">{name}</span>
            )}
            {remoteState && <Chip tone={problem ? 'warn' : 'info'}>{remoteState}</Chip>}
            <span className="muted grow">
              {lastSync ? (
                <>
                  {t.inStep} <RelativeTime value={lastSync} />
                </>
              ) : (
                t.notYet
              )}
            </span>
            {problem && <ErrorNotice text={problem} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
