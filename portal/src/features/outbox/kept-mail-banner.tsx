import { Link } from 'react-router';
import { outboxTexts as t } from '@cloudfit/contract/messages/outbox.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import { useMay } from '../../api/lookups.ts';
import { Icon } from '../../components/icon.tsx';
import { useList } from '../../rows/use-rows.ts';

/** Tells administrators on the home page of a tenant that its mails are not sent. */
export function KeptMailBanner({ tenantId }: { tenantId: string }) {
  const enabled = useMay()('Settings', 'edit');
  const { data } = useList(outboxMessages, { filter: eq(outboxMessages, 'tenantId', tenantId), top: 1, count: true }, { enabled });
  const count = data?.count ?? 0;
  if (!enabled || count === 0) return null;
  return (
    <div className="notice warning" role="status">
      <Icon name="warning" />
      <span className="grow">
        {t.kept(count)} {t.why}
      </span>
      <Link className="btn small" to={`/${tenantId}/outbox`}>
        {t.show}
      </Link>
    </div>
  );
}
