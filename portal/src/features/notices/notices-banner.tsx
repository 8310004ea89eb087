/** Notices at the top of the home page for those who can change it: of the installation, and of who is on call. */
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { Notice } from '@cloudfit/contract/actions/notices.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { notices, onCallNow } from '@cloudfit/contract/calls.ts';
import { noticeTexts } from '@cloudfit/contract/messages/notices.en.ts';
import { onCallSchedules } from '@cloudfit/contract/resources/on-call.ts';
import { outboxTexts } from '@cloudfit/contract/messages/outbox.en.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { exactTime } from '../../theme/times.ts';
import { Icon } from '../../components/icon.tsx';
import { usePhone } from '../../components/use-phone.ts';
import { zoneTime } from '../../theme/times.ts';
import { sizeText } from '../../components/size-text.ts';
import './notices.css';

const refreshMs = 60_000;

function textOf(notice: Notice): ReactNode {
  if (notice.kind === 'keptMails') return `${outboxTexts.unsent(notice.count)} ${outboxTexts.why}`;
  if (notice.kind === 'archive')
    return noticeTexts.archive(
      notice.archivedAt && exactTime(notice.archivedAt),
      notice.walBytes === null ? null : sizeText(notice.walBytes),
      notice.error,
    );
  if (notice.kind === 'noMailServer') return noticeTexts.noMailServer;
  if (notice.kind === 'mailUntried') return noticeTexts.mailUntried;
  if (notice.kind === 'mailFails') return noticeTexts.mailFails(exactTime(notice.since), notice.isDisabled);
  if (notice.kind === 'emergency') return noticeTexts.emergency(notice.userName, exactTime(notice.at));
  if (notice.kind === 'archiveCopies') return noticeTexts.archiveCopies(exactTime(notice.since), notice.error);
  if (notice.kind === 'fault') {
    const text = noticeTexts.fault[notice.of](notice.name, exactTime(notice.since), notice.problem);
    return notice.count > 1 ? noticeTexts.more(text, notice.count) : text;
  }
  const free = sizeText(notice.freeBytes);
  if (notice.level === 'full') return noticeTexts.storage.full(free);
  return noticeTexts.storage.low(free, Math.floor((100 * notice.freeBytes) / notice.sizeBytes));
}

type NoticedDuty = CallOutput<typeof onCallNow>['value'][number];

function dutyText({ scheduleName, now, next, isUnplannedGap, problem }: NoticedDuty): string | undefined {
  if (isUnplannedGap) return noticeTexts.nobodyOnCall(scheduleName, next ? zoneTime(next.from) : undefined);
  return now && problem !== null ? noticeTexts.onCallUnreached(now.name, scheduleName, problem) : undefined;
}

interface LineProps {
  isError?: boolean;
  link?: { to: string; label: string } | undefined;
  children: ReactNode;
}

function Line({ isError = false, link, children }: LineProps) {
  return (
    <div className={isError ? 'notice error' : 'notice warning'} role={isError ? 'alert' : 'status'}>
      <Icon name="warning" />
      <span className="grow">{children}</span>
      {link && (
        <Link className="btn small" to={link.to}>
          {link.label}
        </Link>
      )}
    </div>
  );
}

const faultPlaces = {
  mailbox: 'mailboxes',
  mails: 'mailboxes',
  source: 'sources',
  rule: 'rules',
  events: 'outbox?of=events',
  eventsEnded: 'outbox?of=events',
  eventsGivenUp: 'outbox?of=events',
  report: 'reports',
  failing: 'outbox',
  destination: 'outbox',
  undelivered: 'activity',
  untold: 'workunitsv2',
  left: 'workunitsv2',
  jobs: 'installation',
  campaign: 'campaigns',
} as const;

function linkOf(notice: Notice, tenantId: string): LineProps['link'] {
  const { kind } = notice;
  if (kind === 'fault') return { to: `/${tenantId}/${faultPlaces[notice.of]}`, label: outboxTexts.show };
  if (kind === 'noMailServer') return { to: `/${tenantId}/installation`, label: noticeTexts.installation };
  if (kind === 'mailUntried') return { to: '?show=settings', label: noticeTexts.settings };
  if (kind === 'keptMails' || kind === 'mailFails') return { to: `/${tenantId}/outbox`, label: outboxTexts.show };
  if (kind === 'emergency') return { to: `/${tenantId}/people`, label: noticeTexts.people };
  return undefined;
}

const isError = (notice: Notice): boolean =>
  ['archive', 'archiveCopies', 'mailFails', 'emergency', 'fault'].includes(notice.kind) ||
  (notice.kind === 'storage' && notice.level === 'full');

export function NoticesBanner({ tenantId }: { tenantId: string }) {
  const may = useMay();
  const isPhone = usePhone();
  const [isOpen, setOpen] = useState(false);
  const refetchInterval = refreshMs;
  const { data } = useCall(notices, { tenantId }, { refetchInterval, enabled: may('Settings', 'edit') });
  const duties = useCall(onCallNow, { tenantId }, { refreshedBy: onCallSchedules.name, refetchInterval, enabled: may('OnCall', 'edit') });
  const current = data?.value ?? [];
  // That mails wait says as well that no mail server is set.
  const shown = current.some(({ kind }) => kind === 'keptMails') ? current.filter(({ kind }) => kind !== 'noMailServer') : current;
  const lines: readonly (LineProps & { key: string })[] = [
    ...shown.map((notice) => ({
      key: notice.kind === 'fault' ? notice.of : notice.kind,
      isError: isError(notice),
      link: linkOf(notice, tenantId),
      children: textOf(notice),
    })),
    ...(duties.data?.value ?? []).flatMap((duty) => {
      const children = dutyText(duty);
      const link = { to: `/${tenantId}/oncall?id=${duty.onCallScheduleId}`, label: noticeTexts.schedule };
      return children ? [{ key: duty.onCallScheduleId, isError: true, link, children }] : [];
    }),
  ];
  const all = lines.map(({ key, ...line }) => <Line key={key} {...line} />);
  const first = lines.find((line) => line.isError) ?? lines[0];
  if (!isPhone || !first) return <>{all}</>;
  return (
    <div className="notices">
      <button
        type="button"
        className={first.isError ? 'notice error' : 'notice warning'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="warning" />
        <span className="ellipsis grow" role={isOpen ? undefined : first.isError ? 'alert' : 'status'}>
          {isOpen ? noticeTexts.close : first.children}
        </span>
        {lines.length > 1 && !isOpen && <strong>{noticeTexts.others(lines.length - 1)}</strong>}
        <Icon name="down" />
      </button>
      {isOpen && all}
    </div>
  );
}
