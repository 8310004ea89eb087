import { useEffect, useId, useState } from 'react';
import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { controlStatuses } from '@cloudfit/contract/resources/compliance.ts';

interface NotesInputProps {
  control: string;
  value: string;
  readOnly: boolean;
  /** Notes of this control that could not be saved; undefined if there are none. */
  unsaved: string | undefined;
  onUnsaved: (notes: string | undefined) => void;
  /** Returns whether the save succeeded. */
  onSave: (notes: string) => Promise<boolean>;
}

/** Notes on a control, saved on blur (COMP-016). Text that could not be saved stays in the field. */
export function NotesInput({ control, value, readOnly, unsaved, onUnsaved, onSave }: NotesInputProps) {
  const id = useId();
  const [draft, setDraft] = useState<string | null>(unsaved ?? null);
  const failed = unsaved !== undefined;
  useEffect(() => {
    if (draft === null) return;
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', hold);
    return () => window.removeEventListener('beforeunload', hold);
  }, [draft]);
  const save = async () => {
    if (draft === null) return;
    const done = draft === value || (await onSave(draft));
    onUnsaved(done ? undefined : draft);
    // Clears the draft only if nothing was typed during the save.
    if (done) setDraft((now) => (now === draft ? null : now));
  };
  return (
    <>
      <textarea
        className="input area"
        rows={1}
        aria-label={t.notesOf(control)}
        {...(failed ? { 'aria-invalid': true, 'aria-describedby': id } : {})}
        placeholder={readOnly ? '' : t.notesPlaceholder}
        maxLength={controlStatuses.fields.notes.max}
        readOnly={readOnly}
        value={draft ?? value}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={() => void save()}
      />
      {failed && (
        <div id={id} className="error">
          {t.noteNotSaved}
        </div>
      )}
    </>
  );
}
