/** Images and files that are pasted, dropped or chosen for a note: uploaded at once, and named in its text. */
import { useRef, useState, type ChangeEvent, type ClipboardEvent, type DragEvent, type RefObject } from 'react';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { addFileOfWorkUnit } from '@cloudfit/contract/calls.ts';
import { noteFileTexts as t } from '@cloudfit/contract/messages/note-files.en.ts';
import { fileEndings } from '@cloudfit/contract/note-files.ts';
import { noteOfFile } from '@cloudfit/contract/notes.ts';
import { failureText } from '../../api/client.ts';
import { uploadBy } from '../../api/upload.ts';
import { IconButton } from '../../components/button.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';

interface NoteFilesInput {
  id: number;
  onText: (change: (text: string) => string) => void;
  box: RefObject<HTMLTextAreaElement | null>;
}

/** Puts a line of its own where the caret was, behind the text if it is no longer there. */
function withLine(text: string, caret: number, line: string): string {
  const [before, after] = [text.slice(0, caret), text.slice(caret)];
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n${after.replace(/^\n/, '')}`;
}

/** What the box of a note needs to take files: its handlers, the button, and what is being uploaded. */
export function useNoteFiles({ id, onText, box }: NoteFilesInput) {
  const chooser = useRef<HTMLInputElement>(null);
  const [running, setRunning] = useState<readonly { name: string; percent: number }[]>([]);

  const send = async (file: File) => {
    const entry = { name: file.name, percent: 0 };
    const show = (percent: number | undefined) =>
      setRunning((now) => [...now.filter(({ name }) => name !== entry.name), ...(percent === undefined ? [] : [{ ...entry, percent }])]);
    const form = new FormData();
    form.append('file-1', file, file.name);
    show(0);
    try {
      const options = { signal: new AbortController().signal, onProgress: show };
      const stored: CallOutput<typeof addFileOfWorkUnit> = await uploadBy(addFileOfWorkUnit, { id }, form, options);
      const { current } = box;
      const caret = current && current === document.activeElement ? current.selectionStart : undefined;
      onText((text) => withLine(text, caret ?? text.length, noteOfFile(stored)));
    } catch (error) {
      console.warn(error);
      toastFailure(error, t.failed(file.name, failureText(error)));
    } finally {
      show(undefined);
    }
  };
  const take = async (files: readonly File[]) => {
    // One after the other, so that the lines stand in the order of the files.
    for (const file of files) await send(file);
  };

  return {
    isBusy: running.length > 0,
    attributes: {
      onPaste: (event: ClipboardEvent) => {
        const { files, types } = event.clipboardData;
        // A table that is copied comes as text and as an image of it: the text is meant.
        if (files.length === 0 || types.includes('text/plain')) return;
        event.preventDefault();
        void take([...files]);
      },
      onDragOver: (event: DragEvent) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      },
      onDrop: (event: DragEvent) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        void take([...event.dataTransfer.files]);
      },
    },
    progress: running.map(({ name, percent }) => (
      <span key={name} role="status" className="num">
        {t.uploading(name, percent)}
      </span>
    )),
    button: (
      <>
        <input
          ref={chooser}
          type="file"
          hidden
          multiple
          accept={fileEndings.map((ending) => `.${ending}`).join(',')}
          aria-label={t.attach}
          onChange={(event: ChangeEvent<HTMLInputElement>) => {
            const files = [...(event.target.files ?? [])];
            event.target.value = '';
            void take(files);
          }}
        />
        <IconButton small icon="clip" label={t.attach} onClick={() => chooser.current?.click()} />
      </>
    ),
  };
}
