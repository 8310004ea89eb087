/** The links of a dashboard that need no sign-in: make one, see where it was opened, end it. */
import { useState } from 'react';
import { endDashboardLink, idleDashboardLinks, makeDashboardLink } from '@cloudfit/contract/calls.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { dashboardLinks } from '@cloudfit/contract/resources/dashboard-links.ts';
import { dashboards } from '@cloudfit/contract/resources/dashboards.ts';
import { call, useCall } from '../../api/call.ts';
import { RequestFailed } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { command, useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { PersonName } from '../../rows/person-name.tsx';
import { useList } from '../../rows/use-rows.ts';
import { untilText } from '../../theme/times.ts';
import type { Dashboard } from './dashboards.view.tsx';
import { useValues } from './use-tiles.ts';

const t = dashboardTexts.links;
const lasting = [1, 7, 30, 90, 365] as const;
const shownLinks = 50;

type LinkRow = Row<typeof dashboardLinks>;

const end = command(({ dashboardLinkId }: LinkRow) => call(endDashboardLink, { id: dashboardLinkId }), {
  confirm: ({ name }) => ({ title: t.endTitle, text: t.endQuestion(name), yes: t.end, danger: true }),
  done: () => t.endDone,
  refreshes: [dashboardLinks.name],
});

function OneLink({ link, mayEnd, isIdle }: { link: LinkRow; mayEnd: boolean; isIdle: boolean }) {
  const isOver = link.ended !== null || Date.parse(link.expires) <= Date.now();
  return (
    <li className={isOver ? 'dash-link over' : 'dash-link'}>
      <div className="grow">
        <strong className="ellipsis">{link.name}</strong>
        <p className="tile-note">
          {link.ended ? (
            <>
              {t.endedBy} <PersonName userName={link.endedBy ?? ''} />, <RelativeTime value={link.ended} plain />
            </>
          ) : isOver ? (
            t.over(untilText(link.expires))
          ) : (
            t.until(untilText(link.expires))
          )}
          {link.networks.length > 0 && ` · ${link.networks.join(', ')}`} · {t.madeBy} <PersonName userName={link.createdBy} />
        </p>
        {isIdle && !isOver && <p className="tile-note danger">{t.idle}</p>}
        <p className="tile-note">
          {link.firstUsed === null ? (
            t.unused
          ) : (
            <>
              {t.firstUsed} {untilText(link.firstUsed)} {t.from(link.firstUsedFrom ?? '?')} · {t.lastUsed}{' '}
              <RelativeTime value={link.lastUsed} plain /> {t.from(link.lastUsedFrom ?? '?')}
            </>
          )}
        </p>
      </div>
      {!isOver && mayEnd && (
        <Button small look="danger" onClick={() => void end(link)}>
          {t.end}
        </Button>
      )}
    </li>
  );
}

export function LinksDialog({ row, onClose }: { row: Dashboard; onClose: () => void }) {
  const may = useMay();
  const values = useValues(row);
  const [name, setName] = useState('');
  const [days, setDays] = useState<number>(30);
  const [networks, setNetworks] = useState('');
  const [problem, setProblem] = useState<string>();
  const [created, setCreated] = useState<{ id: string; address: string }>();
  const list = useList(dashboardLinks, {
    filter: eq(dashboardLinks, 'dashboardId', row.dashboardId),
    orderBy: 'created desc',
    top: shownLinks,
  });
  const { data: idle } = useCall(idleDashboardLinks, { id: row.dashboardId }, { refreshedBy: dashboardLinks.name });
  const { run, isBusy } = useCommand(
    async () => {
      setProblem(undefined);
      // The address of an earlier link must not be taken for that of this one.
      setCreated(undefined);
      try {
        const input = {
          dashboardId: row.dashboardId,
          name: name.trim(),
          expires: new Date(Date.now() + days * dayMs).toISOString(),
          networks: networks.split(/[\s,]+/).filter(Boolean),
          variables: values,
        };
        const { link, generatedToken } = await call(makeDashboardLink, input);
        setCreated({ id: link.dashboardLinkId, address: `${location.origin}/wall#${generatedToken}` });
        setName('');
      } catch (error) {
        const detail = error instanceof RequestFailed ? error.details.find(({ target }) => target === 'networks') : undefined;
        if (!detail) throw error;
        setProblem(detail.message);
      }
    },
    { refreshes: [dashboardLinks.name] },
  );
  const shown = created && list.data?.rows.find(({ dashboardLinkId }) => dashboardLinkId === created.id)?.ended ? undefined : created;
  return (
    <Dialog title={t.title} width="md" onClose={onClose} actions={<Button onClick={onClose}>{en.common.close}</Button>}>
      <div className="tile-settings">
        <p className="tile-note">{t.help}</p>
        {may(dashboards.area, 'create') && (
          <form
            className="dash-link-form"
            onSubmit={(event) => {
              event.preventDefault();
              if (name.trim() !== '') void run(undefined);
            }}
          >
            <TextField label={t.name} help={t.nameHelp} required maxLength={100} value={name} onChange={setName} />
            <Field label={t.lasts}>
              {(aria) => (
                <Select {...aria} value={days} choices={lasting.map((value) => ({ value, label: t.days(value) }))} onChange={setDays} />
              )}
            </Field>
            <TextField
              label={t.networks}
              help={t.networksHelp}
              error={problem}
              placeholder="192.0.2.0/24, 2001:db8::/32"
              value={networks}
              onChange={setNetworks}
            />
            <Button type="submit" look="primary" disabled={isBusy || name.trim() === ''}>
              {t.make}
            </Button>
          </form>
        )}
        {shown && (
          <div className="dash-made" role="status">
            <strong>{t.made}</strong>
            <p className="tile-note">{t.madeOnce}</p>
            <div className="dash-made-value">
              <code>{shown.address}</code>
              <CopyButton text={shown.address} label={t.link} done={t.copied} />
            </div>
          </div>
        )}
        {list.data && (list.data.rows.length === 0 ? <p className="tile-note">{t.none}</p> : null)}
        <ul className="dash-links" aria-label={t.title}>
          {list.data?.rows.map((link) => (
            <OneLink
              key={link.dashboardLinkId}
              link={link}
              mayEnd={may(dashboards.area, 'edit')}
              isIdle={idle?.dashboardLinkIds.includes(link.dashboardLinkId) ?? false}
            />
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
