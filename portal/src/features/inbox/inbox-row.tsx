import { Link, useSearchParams } from 'react-router';
import { eventText } from '@cloudfit/contract/messages/unit-events.en.ts';
import { inboxTexts as t } from '@cloudfit/contract/messages/inbox.en.ts';
import type { InboxKind, inboxItems } from '@cloudfit/contract/resources/inbox-items.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { usePersonName } from '../../api/people-names.ts';
import { SeverityChip } from '../../components/chips.tsx';
import { IconButton } from '../../components/button.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { withNames } from '../../entities/inbox/with-names.ts';
import { DueBar } from '../../entities/work-units/due-bar.tsx';
import { dropPanelParts } from '../../hooks/use-panel.ts';

export type ListedItem = ExpandedRow<typeof inboxItems, 'workUnit' | 'tenant'>;

const icons: Readonly<Record<InboxKind, IconName>> = {
  Assigned: 'person',
  Approval: 'check',
  Mentioned: 'communications',
  CallMe: 'phone',
  Reply: 'communications',
  AssignedToGroup: 'person',
  Watched: 'eye',
};

/** Who did what, with the people that a note mentions by their names. The text of a call back is a sentence by itself, also when nobody has taken the call. */
function whatOf({ kind, detail, createdBy }: ListedItem, nameOf: (userName: string) => string): string {
  if (kind === 'CallMe' && detail !== '') return eventText(detail);
  const did = `${nameOf(createdBy)} ${t.did[kind]}`.trim();
  return detail === '' ? did : `${did}: ${eventText(withNames(detail, nameOf))}`;
}

interface InboxRowProps {
  item: ListedItem;
  mayChange: boolean;
  /** Whether its unit is open beside the list. */
  isOpen: boolean;
  onMark: (isRead: boolean) => void;
  onSnooze: (anchor: HTMLElement) => void;
}

/** One item: why, which unit, who did what, and when. Opening it marks it as read. */
export function InboxRow({ item, mayChange, isOpen, onMark, onSnooze }: InboxRowProps) {
  const nameOf = usePersonName();
  const { workUnit: unit, tenant, kind } = item;
  const [here] = useSearchParams();
  const to = new URLSearchParams(here);
  dropPanelParts(to);
  to.delete('tab');
  to.set('workUnitId', String(item.workUnitId));
  const isUnread = item.readAt === null;
  return (
    <li className={isUnread ? 'unread' : ''} data-entry={item.inboxItemId} aria-current={isOpen || undefined}>
      <Link className="inbox-item" to={`?${to}`} onClick={() => isUnread && mayChange && onMark(true)}>
        <span className="inbox-kind" title={t.kinds[kind]}>
          <Icon name={icons[kind]} />
          <span className="visually-hidden">{t.kinds[kind]}</span>
        </span>
        <span className="inbox-words">
          <span className="inbox-unit">
            {isUnread && (
              <i className="dot" title={t.isUnread}>
                <span className="visually-hidden">{t.isUnread}</span>
              </i>
            )}
            {unit && <SeverityChip value={unit.severityId} />}
            <span className="ellipsis">{unit ? `#${unit.publicWorkUnitId} ${unit.title}` : t.gone}</span>
          </span>
          <span className="muted ellipsis">{[tenant?.name, whatOf(item, nameOf)].filter(Boolean).join(' · ')}</span>
        </span>
        {unit?.clockDue && (
          <span className="inbox-clock">
            <DueBar unit={unit} />
          </span>
        )}
        <RelativeTime plain value={item.due} />
      </Link>
      {mayChange && (
        <span className="inbox-tools">
          <IconButton small icon={isUnread ? 'check' : 'undo'} label={isUnread ? t.read : t.unread} onClick={() => onMark(isUnread)} />
          <IconButton small icon="pending" label={t.snooze} aria-haspopup="menu" onClick={(event) => onSnooze(event.currentTarget)} />
        </span>
      )}
    </li>
  );
}
