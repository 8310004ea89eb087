/** How many customers wait for a call, in the header; nothing while nobody waits. */
import { Link } from 'react-router';
import { callBackTexts as t } from '@cloudfit/contract/messages/call-backs.en.ts';
import { Icon } from '../../components/icon.tsx';
import { useNow } from '../../components/relative-time.tsx';
import { useCallBackCount } from '../../entities/call-backs/use-call-back-count.ts';
import { useChosenContext } from './use-chosen-context.ts';

function Signal({ open, due }: { open: number; due: string | null }) {
  const { tenantId } = useChosenContext();
  const now = useNow();
  const isOverdue = due !== null && Date.parse(due) <= now;
  const label = t.signal(open, isOverdue);
  return (
    <Link className="btn quiet bell" to={tenantId ? `/${tenantId}` : '/'} aria-label={label} title={label}>
      <Icon name="phone" />
      <span className={isOverdue ? 'badge danger' : 'badge'}>{open}</span>
    </Link>
  );
}

export function CallBackSignal() {
  const { open, due } = useCallBackCount();
  return open > 0 ? <Signal open={open} due={due} /> : null;
}
