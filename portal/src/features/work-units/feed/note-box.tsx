import { useEffect, useId, useImperativeHandle, useRef, useState, type Ref, type RefObject } from 'react';
import { limits } from '@cloudfit/contract/limits.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { useCurrentUser, useMay } from '../../../api/lookups.ts';
import { Button } from '../../../components/button.tsx';
import { toast } from '../../../components/toasts.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { useMentions } from './mention-list.tsx';
import { useNoteFiles } from '../../../entities/note-files/use-note-files.tsx';
import { useAddNote } from '../panel/use-work-unit.ts';

const t = workUnitTexts;
const max = limits.noteLength;
const draftKey = (person: string, id: number) => `cloudfit.draft.note.${id}.${person.toLowerCase()}`;

/** Returns the class of the counter: orange from 80 % of the maximum length, red at 100 % (NOTE-006, NOTE-007). */
export function counterTone(length: number): 'full' | 'near' | '' {
  return length >= max ? 'full' : length >= max * 0.8 ? 'near' : '';
}

const quoteOf = (text: string) => text.replace(/^/gm, '> ').slice(0, max);

/** Puts the caret behind the text, once it is there. */
function focusEnd(box: RefObject<HTMLTextAreaElement | null>): void {
  requestAnimationFrame(() => {
    box.current?.focus();
    box.current?.setSelectionRange(box.current.value.length, box.current.value.length);
  });
}

/** What other parts of the page do with the box. */
export interface Composer {
  /** Puts a text that somebody wrote behind what is typed, as a quote. */
  quote: (text: string) => void;
}

interface NoteBoxProps {
  id: number;
  composer: Ref<Composer>;
}

/** Writes a note, for people who may edit the unit. */
export function NoteBox({ id, composer }: NoteBoxProps) {
  const { data: user } = useCurrentUser();
  return useMay()('WorkUnits', 'edit') && user ? <Writing key={user.userName} id={id} person={user.userName} composer={composer} /> : null;
}

/** Stores the typed text per person until it is sent, so that it survives a reload and the end of the session. */
function Writing({ id, person, composer }: NoteBoxProps & { person: string }) {
  const key = draftKey(person, id);
  const counter = useId();
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const [external, setExternal] = useState(false);
  const add = useAddNote(id);
  const box = useRef<HTMLTextAreaElement>(null);
  const mentions = useMentions({ id, text, onText: setText, box });
  const files = useNoteFiles({ id, onText: setText, box });
  useEffect(() => {
    if (text) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  }, [key, text]);
  useImperativeHandle(
    composer,
    () => ({
      quote: (quoted) => {
        setText((now) => `${now.trimEnd()}${now.trim() === '' ? '' : '\n\n'}${quoteOf(quoted)}\n\n`);
        focusEnd(box);
      },
    }),
    [],
  );
  const isEmpty = text.trim() === '';
  const send = async () => {
    if (isEmpty || add.isPending || files.isBusy) return;
    try {
      await add.mutateAsync({ detail: text.trim(), isExternalNote: external });
      // Keeps text that was typed while the request ran.
      setText((now) => (now === text ? '' : now));
      toast.success(t.noteAdded);
    } catch (error) {
      toastFailure(error, t.noteFailed);
    }
  };
  return (
    <div className={text === '' && !files.isBusy ? 'note-box' : 'note-box is-writing'}>
      {mentions.list}
      <textarea
        ref={box}
        {...mentions.attributes}
        {...files.attributes}
        aria-label={t.noteLabel}
        data-note
        aria-describedby={counter}
        placeholder={t.notePlaceholder}
        maxLength={max}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onSelect={(event) => mentions.onCaret(event.currentTarget.selectionStart)}
        onKeyDown={(event) => {
          if (mentions.onKey(event)) return;
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void send();
          }
        }}
      />
      <div className="note-foot">
        <label className="check">
          <input type="checkbox" checked={external} onChange={(event) => setExternal(event.target.checked)} />
          {t.noteExternal}
        </label>
        {files.button}
        {files.progress}
        <span className="grow" />
        <span id={counter} className={`counter num ${counterTone(text.length)}`}>
          {t.counter(text.length, max)}
        </span>
        <Button small disabled={isEmpty || add.isPending || files.isBusy} onClick={() => void send()}>
          {t.noteAdd}
        </Button>
      </div>
    </div>
  );
}
