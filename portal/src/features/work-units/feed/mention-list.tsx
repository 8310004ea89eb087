/** The choice of people while a mention is typed in a note: those who may see the unit. */
import { useId, useState, type KeyboardEvent, type RefObject } from 'react';
import { keepPreviousData } from '@tanstack/react-query';
import { peopleToMention } from '@cloudfit/contract/calls.ts';
import { mentionAt } from '@cloudfit/contract/notes.ts';
import { watcherTexts as t } from '@cloudfit/contract/messages/watchers.en.ts';
import { useCall } from '../../../api/call.ts';
import { PersonAvatar } from '../../../entities/people/person-avatar.tsx';
import { useDebounced } from '../../../hooks/use-debounced.ts';

const restMs = 120;

interface MentionOptions {
  id: number;
  text: string;
  onText: (text: string) => void;
  box: RefObject<HTMLTextAreaElement | null>;
}

/** What the box of a note needs to offer people: its attributes, a handler of keys, and the list. */
export function useMentions({ id, text, onText, box }: MentionOptions) {
  const listId = useId();
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  /** Where a mention begins whose list the person has closed. */
  const [closedAt, setClosedAt] = useState(-1);
  const mention = mentionAt(text, Math.min(caret, text.length));
  const typed = useDebounced(mention?.typed ?? '', restMs);
  const isTyped = mention !== undefined && mention.from !== closedAt;
  const isRested = typed === mention?.typed;
  const { data, isPlaceholderData } = useCall(
    peopleToMention,
    { id, text: typed },
    { enabled: isTyped && isRested, placeholderData: keepPreviousData },
  );
  // Until the answer is there, the list stays open with those of the one before that still fit.
  const fits = ({ name, userName }: { name: string; userName: string }) =>
    (isRested && !isPlaceholderData) || `${name} ${userName}`.toLowerCase().includes(mention?.typed.toLowerCase() ?? '');
  const people = isTyped ? (data?.value ?? []).filter(fits) : [];
  const isOpen = people.length > 0;
  const chosen = Math.min(at, people.length - 1);

  const insert = (userName: string) => {
    if (!mention) return;
    const before = `${text.slice(0, mention.from)}@${userName} `;
    onText(before + text.slice(caret).replace(/^ /, ''));
    setCaret(before.length);
    requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(before.length, before.length);
    });
  };
  /** Whether the key belonged to the list. */
  const onKey = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.ctrlKey || event.metaKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((chosen + step + people.length) % people.length);
    else if (event.key === 'Enter' || event.key === 'Tab') insert(people[chosen]?.userName ?? '');
    else if (event.key === 'Escape') {
      setClosedAt(mention?.from ?? -1);
      setCaret(0);
    } else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return {
    onKey,
    onCaret: (position: number) => {
      setCaret(position);
      setAt(0);
    },
    attributes: isOpen
      ? ({
          role: 'combobox',
          'aria-expanded': true,
          'aria-autocomplete': 'list',
          'aria-controls': listId,
          'aria-activedescendant': `${listId}-${chosen}`,
        } as const)
      : {},
    list: isOpen && (
      <ul className="mention-list" id={listId} role="listbox" aria-label={t.mention}>
        {people.map(({ personId, name, userName }, place) => (
          <li
            key={personId}
            id={`${listId}-${place}`}
            role="option"
            aria-selected={place === chosen}
            onPointerDown={(event) => {
              // Keeps the focus in the box.
              event.preventDefault();
              insert(userName);
            }}
          >
            <PersonAvatar userName={userName} name={name} />
            <span className="ellipsis">{name}</span>
            <span className="faint ellipsis">{userName}</span>
          </li>
        ))}
      </ul>
    ),
  };
}
