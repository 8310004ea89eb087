/** Notices at the top of the home page for those who can change it: of the installation, and of who is on call. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { z } from 'zod/mini';
import { useQuery } from '@tanstack/react-query';
import type { Notice } from '@cloudfit/contract/actions/notices.ts';
import type { onCallNow } from '@cloudfit/contract/on-call/calls.ts';
import { noticeTexts } from '@cloudfit/contract/messages/notices.en.ts';
import { outboxTexts } from '@cloudfit/contract/messages/outbox.en.ts';
import { callJson } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { exactTime } from '../../components/relative-time.tsx';
import { Icon } from '../../components/icon.tsx';
import { zoneTime } from '../../entities/on-call/zone-time.ts';
import { sizeText } from '../../components/size-text.ts';

const refreshMs = 60_000;

function useNotices(tenantId: string) {
  return useQuery({
    queryKey: ['notices', tenantId],
    queryFn: () => callJson<{ value: Notice[] }>(`/v1/notices?tenantId=${tenantId}`, { quiet: true }),
    refetchInterval: refreshMs,
    enabled: useMay()('Settings', 'edit'),
  });
}

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
  if (notice.kind === 'archiveCopies') return noticeTexts.archiveCopies(exactTime(notice.since), notice.error);
  const free = sizeText(notice.freeBytes);
  if (notice.level === 'full') return noticeTexts.storage.full(free);
  return noticeTexts.storage.low(free, Math.floor((100 * notice.freeBytes) / notice.sizeBytes));
}

type NoticedDuty = z.infer<Extract<NonNullable<(typeof onCallNow)['output']>, z.core.$ZodType>>['value'][number];

/** Who is on call, for people who may change the schedules. */
function useDuties(tenantId: string): readonly NoticedDuty[] {
  const { data } = useQuery({
    queryKey: ['onCallSchedules', 'notices', tenantId],
    queryFn: ({ signal }) => callJson<{ value: readonly NoticedDuty[] }>(`/v1/onCall?tenantId=${tenantId}`, { signal, quiet: true }),
    refetchInterval: refreshMs,
    enabled: useMay()('OnCall', 'edit'),
  });
  return data?.value ?? [];
}

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

function linkOf({ kind }: Notice, tenantId: string): LineProps['link'] {
  if (kind === 'noMailServer') return { to: `/${tenantId}/installation`, label: noticeTexts.installation };
  if (kind === 'mailUntried') return { to: '?show=settings', label: noticeTexts.settings };
  if (kind === 'keptMails' || kind === 'mailFails') return { to: `/${tenantId}/outbox`, label: outboxTexts.show };
  return undefined;
}

const isError = (notice: Notice): boolean =>
  ['archive', 'archiveCopies', 'mailFails'].includes(notice.kind) || (notice.kind === 'storage' && notice.level === 'full');

export function NoticesBanner({ tenantId }: { tenantId: string }) {
  const { data } = useNotices(tenantId);
  const duties = useDuties(tenantId);
  return (
    <>
      {data?.value.map((notice) => (
        <Line key={notice.kind} isError={isError(notice)} link={linkOf(notice, tenantId)}>
          {textOf(notice)}
        </Line>
      ))}
      {duties.map((duty) => {
        const text = dutyText(duty);
        const to = `/${tenantId}/oncall?id=${duty.onCallScheduleId}`;
        return (
          text && (
            <Line key={duty.onCallScheduleId} isError link={{ to, label: noticeTexts.schedule }}>
              {text}
            </Line>
          )
        );
      })}
    </>
  );
}
