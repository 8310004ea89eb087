import { shortened } from '@cloudfit/contract/one-line.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { mergeTexts } from '@cloudfit/contract/messages/merge.en.ts';
import { reviewTexts } from '@cloudfit/contract/messages/incident-review.en.ts';
import { eventText as shownEvent } from '@cloudfit/contract/messages/unit-events.en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { historyTexts as t } from '@cloudfit/contract/messages/work-unit-history.en.ts';
import { isPerson, usePersonName } from '../../../api/people-names.ts';
import { IconButton } from '../../../components/button.tsx';
import { ColorDot } from '../../../components/color-dot.tsx';
import { Chip } from '../../../components/chips.tsx';
import { Icon } from '../../../components/icon.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { fileOfNote } from '../../../entities/note-files/note-file-lazy.tsx';
import { PersonAvatar } from '../../../entities/people/person-avatar.tsx';
import { NoteText } from './note-text.tsx';
import { fieldOf, fromHistory, labelOf, wordsOf } from '../inputs/field-value.ts';
import type { HistoryRecord } from '../panel/use-work-unit.ts';

const longest = 70;

export const isNote = (entry: HistoryRecord) => !entry.historyType;

function Value({ name, text }: { name: string; text: string | null | undefined }) {
  const words = wordsOf(name, fromHistory(name, text));
  if (words === null) return <span className="faint">{t.empty}</span>;
  return (
    <b className="clip" {...(words.length > longest ? { title: words } : {})}>
      {shortened(words, longest)}
    </b>
  );
}

/** The rule behind an entry, for its colour. */
export interface EntryRule {
  name: string;
  color: string | null;
}

/** What the server writes in English, by which the reader's language says the same. */
const events: readonly (readonly [RegExp, (number: string) => string])[] = [
  [/^Work unit created\.$/, () => t.events.created],
  [/^Merged into #(\d+) as a duplicate\.$/, t.events.mergedInto],
  [/^Merged with #(\d+), a duplicate\.$/, t.events.mergedWith],
];

function eventText({ historyType, detail }: HistoryRecord): string {
  if (historyType !== 'WorkUnitEvent') return detail;
  for (const [pattern, text] of events) {
    const match = pattern.exec(detail);
    if (match) return text(match[1] ?? '');
  }
  return shownEvent(detail);
}

/** Who did what, as one line of text. */
export function EntryWords({ entry, rule }: { entry: HistoryRecord; rule?: EntryRule | undefined }) {
  const nameOf = usePersonName();
  const { field, detail, oldValue, newValue } = entry;
  const who = <b title={entry.createdBy}>{entry.createdBy ? nameOf(entry.createdBy) : workUnitTexts.system}</b>;
  if ((entry.historyType === 'FieldChange' || entry.historyType === 'WorkUnitStateChange') && field) {
    const label = labelOf(field);
    // For a reference, the entry stores an id, but its text contains the name.
    const sentence = `${label} changed `;
    if (fieldOf(field)?.ref && detail.startsWith(sentence))
      return (
        <span>
          {who} {t.changedRef(label, detail.slice(sentence.length).replace(/\.$/, ''))}
        </span>
      );
    return (
      <span>
        {who} {t.changed(label)} {!detail.startsWith(`${label} changed to `) && <Value name={field} text={oldValue} />} →{' '}
        <Value name={field} text={newValue} />
      </span>
    );
  }
  const link = entry.historyUrl && /^https?:\/\//i.test(entry.historyUrl) ? entry.historyUrl : null;
  return (
    <span>
      {who} {rule && <ColorDot color={rule.color} label={t.openedByRule(rule.name)} />}
      <span className="clip">{eventText(entry)}</span>
      {link && (
        <>
          {' '}
          <a href={link} target="_blank" rel="noreferrer">
            {en.common.open}
          </a>
        </>
      )}
    </span>
  );
}

interface EntryProps {
  entry: HistoryRecord;
  /** The rule of which the entry reports that it opened the unit or matched again. */
  rule: EntryRule | undefined;
  /** Opens the unit as it was at the time of the entry; undefined for an entry of a merged unit. */
  onOpen: (() => void) | undefined;
  /** Makes a unit of the words of a note; undefined for people who may not create one. */
  onNewUnit?: ((words: string) => void) | undefined;
  /** Quotes the note; undefined for people who may not write one. */
  onQuote?: (() => void) | undefined;
  /** Undoes the change of the entry; undefined when there is nothing to undo. */
  onUndo?: (() => void) | undefined;
}

export function Entry({ entry, rule, onOpen, onNewUnit, onQuote, onUndo }: EntryProps) {
  const nameOf = usePersonName();
  const mark = isPerson(entry.createdBy) ? (
    <PersonAvatar userName={entry.createdBy} />
  ) : (
    <span className="avatar">
      <Icon name="gear" />
    </span>
  );
  const end = (
    <span className="entry-end">
      {entry.mergedNumber !== undefined && <Chip>{mergeTexts.entryOf(entry.mergedNumber)}</Chip>}
      <span className="entry-tools">
        {onUndo && <IconButton small icon="undo" label={t.undoChange(labelOf(entry.field ?? ''))} onClick={onUndo} />}
        {onNewUnit && <IconButton small icon="plus" label={reviewTexts.newFromNote} onClick={() => onNewUnit(entry.detail)} />}
        {onQuote && <IconButton small icon="quote" label={t.quote} onClick={onQuote} />}
        {onOpen && <IconButton small icon="pending" label={t.seeThen} onClick={onOpen} />}
      </span>
      <RelativeTime plain value={entry.created} />
    </span>
  );
  if (isNote(entry)) {
    return (
      <li className="entry note">
        {mark}
        <div className="grow">
          <div className="row">
            <b title={entry.createdBy}>{nameOf(entry.createdBy)}</b>
            {entry.isExternalNote && <Chip tone="info">{entry.isFromCustomer ? workUnitTexts.fromCustomer : workUnitTexts.external}</Chip>}
          </div>
          <div className="text">
            <NoteText text={entry.detail} onAction={onNewUnit} />
          </div>
          {entry.mailFrom && (
            <p className="entry-mail faint">
              {workUnitTexts.byMail(entry.mailFrom)}, {entry.mailChecks ?? workUnitTexts.notChecked}
              {entry.mailFileId && fileOfNote({ id: entry.mailFileId, name: workUnitTexts.wholeMail, isImage: false })}
            </p>
          )}
        </div>
        {end}
      </li>
    );
  }
  const look = entry.historyType === 'ProtocolActionFailure' ? 'entry failed' : entry.isWarning ? 'entry warning' : 'entry';
  return (
    <li className={look}>
      {mark}
      <EntryWords entry={entry} rule={rule} />
      {end}
    </li>
  );
}
