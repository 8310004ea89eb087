/** Files that a customer chooses for a new request: sent once the request exists, as the first message of it. */
import { useRef } from 'react';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { addFileOfWorkUnit, replyToRequest } from '@cloudfit/contract/calls.ts';
import { noteFileTexts } from '@cloudfit/contract/messages/note-files.en.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { fileEndings } from '@cloudfit/contract/note-files.ts';
import { noteOfFile } from '@cloudfit/contract/notes.ts';
import { call } from '../../api/call.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { uploadBy } from '../../api/upload.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';

const t = resolutionCenterEn.request;

interface RequestFilesProps {
  files: readonly File[];
  onChange: (files: readonly File[]) => void;
}

export function RequestFiles({ files, onChange }: RequestFilesProps) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <section className="form-section" aria-label={t.files}>
      <h3>{t.files}</h3>
      {files.length > 0 && (
        <ul className="request-files">
          {files.map((file, at) => (
            <li key={`${at} ${file.name}`}>
              <span className="ellipsis">{file.name}</span>
              <IconButton
                small
                icon="close"
                label={t.withoutFile(file.name)}
                onClick={() => onChange(files.filter((other) => other !== file))}
              />
            </li>
          ))}
        </ul>
      )}
      <input
        ref={chooser}
        type="file"
        hidden
        multiple
        accept={fileEndings.map((ending) => `.${ending}`).join(',')}
        aria-label={noteFileTexts.attach}
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])];
          event.target.value = '';
          onChange([...files, ...chosen]);
        }}
      />
      <Button small icon="clip" onClick={() => chooser.current?.click()}>
        {noteFileTexts.attach}
      </Button>
    </section>
  );
}

/** Uploads the files one after the other, and names those that the server took in a message. The request is there in any case. */
export async function sendRequestFiles(workUnitId: number, files: readonly File[]): Promise<void> {
  const lines: string[] = [];
  for (const file of files) {
    const form = new FormData();
    form.append('file-1', file, file.name);
    try {
      const options = { signal: new AbortController().signal, onProgress: () => undefined };
      const stored: CallOutput<typeof addFileOfWorkUnit> = await uploadBy(addFileOfWorkUnit, { id: workUnitId }, form, options);
      lines.push(noteOfFile(stored));
    } catch (error) {
      // What the server does not take, it does not take later either.
      const isRefused = error instanceof RequestFailed && error.status === 400;
      toastFailure(error, `${t.fileFailed(file.name, failureText(error))}${isRefused ? '' : ` ${t.attachLater}`}`);
    }
  }
  if (lines.length === 0) return;
  await call(replyToRequest, { workUnitId, text: lines.join('\n') }, { creates: true }).catch((error: unknown) =>
    toastFailure(error, t.failed),
  );
}
