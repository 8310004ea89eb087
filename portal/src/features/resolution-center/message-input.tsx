/** The message of a customer, with files: chosen, pasted or dropped, uploaded at once, and named in the text. */
import { useEffect, useRef } from 'react';
import { useNoteFiles } from '../../entities/note-files/use-note-files.tsx';
import type { InputProps } from '../../forms/form-types.ts';

export function MessageInput({ id, field, value, onChange, onBlur, disabled, aria }: InputProps & { id: number }) {
  const box = useRef<HTMLTextAreaElement>(null);
  // An upload ends later, when more may have been typed.
  const typed = useRef('');
  const text = typeof value === 'string' ? value : '';
  useEffect(() => void (typed.current = text), [text]);
  const files = useNoteFiles({
    id,
    box,
    onText: (edit) => {
      typed.current = edit(typed.current);
      onChange(typed.current);
    },
  });
  return (
    <>
      <textarea
        ref={box}
        className="input area"
        rows={4}
        {...aria}
        {...files.attributes}
        maxLength={field.max}
        value={text}
        readOnly={disabled}
        onBlur={onBlur}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="message-files">
        {files.button}
        {files.progress}
      </div>
    </>
  );
}
