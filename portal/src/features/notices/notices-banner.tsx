/** Notices for administrators, at the top of the home page. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import type { Notice } from '@cloudfit/contract/actions/notices.ts';
import { noticeTexts } from '@cloudfit/contract/messages/notices.en.ts';
import { outboxTexts } from '@cloudfit/contract/messages/outbox.en.ts';
import { callJson } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { exactTime } from '../../components/relative-time.tsx';
import { Icon } from '../../components/icon.tsx';
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
  if (notice.kind === 'archiveCopies') return noticeTexts.archiveCopies(exactTime(notice.since), notice.error);
  const free = sizeText(notice.freeBytes);
  if (notice.level === 'full') return noticeTexts.storage.full(free);
  return noticeTexts.storage.low(free, Math.floor((100 * notice.freeBytes) / notice.sizeBytes));
}

function NoticeLine({ notice, tenantId }: { notice: Notice; tenantId: string }) {
  const isError = notice.kind === 'archive' || notice.kind === 'archiveCopies' || (notice.kind === 'storage' && notice.level === 'full');
  return (
    <div className={isError ? 'notice error' : 'notice warning'} role={isError ? 'alert' : 'status'}>
      <Icon name="warning" />
      <span className="grow">{textOf(notice)}</span>
      {notice.kind === 'keptMails' && (
        <Link className="btn small" to={`/${tenantId}/outbox`}>
          {outboxTexts.show}
        </Link>
      )}
    </div>
  );
}

export function NoticesBanner({ tenantId }: { tenantId: string }) {
  const { data } = useNotices(tenantId);
  return data?.value.map((notice) => <NoticeLine key={notice.kind} notice={notice} tenantId={tenantId} />) ?? null;
}
