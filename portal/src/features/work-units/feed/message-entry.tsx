import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { Chip } from '../../../components/chips.tsx';
import { Icon } from '../../../components/icon.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { outcomeTones, type SentMessage } from '../panel/sent-messages.ts';

const t = workUnitPanelTexts.notified;

/** A message about the unit at its place in the timeline: to whom, how, and its outcome. */
export function MessageEntry({ message: { name, how, outcome, at, notes } }: { message: SentMessage }) {
  return (
    <li className="entry">
      <span className="avatar">
        <Icon name="bell" />
      </span>
      <span>
        {t.told} <b>{name}</b> <span className="muted">{how}</span>
        {notes.map((note) => (
          <span key={note} className="faint">
            {' '}
            {note}
          </span>
        ))}
      </span>
      <span className="entry-end">
        <Chip tone={outcomeTones[outcome]}>{t.outcomes[outcome]}</Chip>
        <RelativeTime plain value={at} />
      </span>
    </li>
  );
}
