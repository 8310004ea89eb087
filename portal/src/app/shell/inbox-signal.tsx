/** The number of unread items of the inbox: at the bell of the header, in the menu, and in the title of the tab. */
import { useEffect } from 'react';
import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { Icon } from '../../components/icon.tsx';
import { setTitleCount } from '../../components/page-title.ts';
import { useInboxCount } from '../../entities/inbox/use-inbox-count.ts';
import { useChosenContext } from './use-chosen-context.ts';

export const inboxPath = 'inbox';

/** From this number on, the exact number is no help. */
const maxShown = 99;
const short = (count: number) => (count > maxShown ? `${maxShown}+` : String(count));

/** The number beside the entry of the menu; nothing when all is read. */
export function InboxBadge() {
  const count = useInboxCount();
  return count > 0 ? <span className="badge">{short(count)}</span> : null;
}

export function InboxSignal() {
  const mayView = useMay()('WorkUnits', 'view');
  const { tenantId } = useChosenContext();
  const count = useInboxCount();
  useEffect(() => setTitleCount(count), [count]);
  if (!mayView) return null;
  const label = en.shell.inboxUnread(count);
  return (
    <Link className="btn quiet bell" to={tenantId ? `/${tenantId}/${inboxPath}` : `/${inboxPath}`} aria-label={label} title={label}>
      <Icon name="bell" />
      {count > 0 && <span className="badge">{short(count)}</span>}
    </Link>
  );
}
