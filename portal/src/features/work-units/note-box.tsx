import { useEffect, useState } from 'react';
import { limits } from '@cloudfit/contract/limits.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toasts.tsx';
import { useAddNote } from './use-work-unit.ts';

const t = en.workUnits;
const max = limits.noteLength;
const draftKey = (id: number) => `cloudfit.noteDraft.${id}`;

/** NOTE-006, NOTE-007: orange from 80 %, red at 100 %. */
export function counterTone(length: number): 'full' | 'near' | '' {
  return length >= max ? 'full' : length >= max * 0.8 ? 'near' : '';
}

/** Writes a note; what is typed outlives a reload until it is sent. */
export function NoteBox({ id }: { id: number }) {
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey(id)) ?? '');
  const [external, setExternal] = useState(false);
  const add = useAddNote(id);
  const may = useMay();
  useEffect(() => {
    if (text) sessionStorage.setItem(draftKey(id), text);
    else sessionStorage.removeItem(draftKey(id));
  }, [id, text]);
  if (!may('WorkUnits', 'edit')) return null;
  const isEmpty = text.trim() === '';
  const send = async () => {
    if (isEmpty || add.isPending) return;
    try {
      await add.mutateAsync({ detail: text.trim(), isExternalNote: external });
      setText('');
      toast.success(t.noteAdded);
    } catch {
      toast.error(t.noteFailed);
    }
  };
  return (
    <div className="note-box">
      <textarea
        aria-label={t.noteLabel}
        placeholder={t.notePlaceholder}
        maxLength={max}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
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
        <span className="grow" />
        <span className={`counter num ${counterTone(text.length)}`}>{t.counter(text.length, max)}</span>
        <Button small disabled={isEmpty || add.isPending} onClick={() => void send()}>
          {t.noteAdd}
        </Button>
      </div>
    </div>
  );
}
