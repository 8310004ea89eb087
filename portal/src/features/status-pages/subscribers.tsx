/** Who gets the updates of a status page by mail. */
import { useQuery } from '@tanstack/react-query';
import { en } from '@cloudfit/contract/messages/en.ts';
import { statusPageTexts as t } from '@cloudfit/contract/messages/status-pages.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { statusSubscribers } from '@cloudfit/contract/resources/status-subscribers.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { removeRow } from '../../api/row-calls.ts';
import { command } from '../../calls/command.ts';
import { IconButton } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { useList } from '../../rows/use-rows.ts';
import { previewQuery } from './preview-query.ts';

const maxShown = 200;

const remove = command(
  ({ statusSubscriberId }: Pick<Row<typeof statusSubscribers>, 'statusSubscriberId' | 'email'>) =>
    removeRow(statusSubscribers, statusSubscriberId),
  {
    confirm: ({ email }) => ({ title: t.removeTitle, text: t.removeText(email), no: en.common.no, danger: true }),
    done: () => t.removed,
    refreshes: [statusSubscribers.name],
  },
);

export function Subscribers({ row }: { row: { statusPageId: string; modified: string } }) {
  const may = useMay();
  const mayEdit = may(statusSubscribers.area, 'edit');
  const mayRemove = may(statusSubscribers.area, 'delete');
  const { data, error, refetch } = useList(
    statusSubscribers,
    { filter: eq(statusSubscribers, 'statusPageId', row.statusPageId), top: maxShown, count: true },
    { enabled: mayEdit },
  );
  const preview = useQuery({ ...previewQuery(row), enabled: mayEdit });
  if (!mayEdit) return <p className="muted">{t.subscribersHidden}</p>;
  if (error && !data) return <ErrorState small title={t.subscribersFailed} text={failureText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width="60%" />;
  const notTaken = preview.data?.takesSubscribers === false;
  if (data.rows.length === 0)
    return notTaken ? (
      <EmptyState small title={t.notOffered} text={t.notOfferedText} />
    ) : (
      <EmptyState small title={t.noSubscribers} text={t.noSubscribersText} />
    );
  const { rows, count = rows.length } = data;
  return (
    <>
      {notTaken && <p className="muted">{t.notOfferedText}</p>}
      <ul className="status-subscribers" aria-label={t.subscribers}>
        {rows.map(({ statusSubscriberId, email, created }) => (
          <li key={statusSubscriberId}>
            <span className="grow ellipsis">{email}</span>
            <RelativeTime value={created} />
            {mayRemove && (
              <IconButton small icon="trash" label={t.remove(email)} onClick={() => void remove({ statusSubscriberId, email })} />
            )}
          </li>
        ))}
      </ul>
      {count > rows.length && <p className="muted">{t.latest(rows.length, count)}</p>}
    </>
  );
}
