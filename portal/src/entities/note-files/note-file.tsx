/** A file of a note: an image in small, which opens in full, or a button that downloads. */
import { useEffect, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { deleteFileOfWorkUnit, fileOfWorkUnit } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { noteFileTexts as t } from '@cloudfit/contract/messages/note-files.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call, callFile } from '../../api/call.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { command } from '../../calls/command.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { saveBlob } from '../../components/save-file.ts';
import { toast } from '../../components/toasts.tsx';
import './note-files.css';

interface FileReference {
  id: string;
  name: string;
}

type NoteFileProps = FileReference & { isImage: boolean };

const contentOf = async (id: string, small: boolean, signal?: AbortSignal): Promise<Blob> => {
  const input = { id, ...(small ? { small: 'true' as const } : {}) };
  return (await callFile(fileOfWorkUnit, input, { quiet: true, accept: '*/*', ...(signal ? { signal } : {}) })).blob();
};

const isGone = (error: unknown) => error instanceof RequestFailed && error.status === 404;

async function save({ id, name }: FileReference): Promise<void> {
  try {
    saveBlob(name, await contentOf(id, false));
  } catch (error) {
    // The server names who deleted the file.
    if (!isGone(error)) throw error;
    toast.error(failureText(error));
  }
}

const download = command(save, {
  failed: ({ name }) => t.downloadFailed(name),
});

/** An address of the image for this page alone, because an image cannot send the sign-in; undefined while it loads. */
function useNoteImage(id: string, small: boolean) {
  const { data, error } = useQuery({
    queryKey: [fileOfWorkUnit, id, small],
    queryFn: ({ signal }) => contentOf(id, small, signal),
    staleTime: Infinity,
    retry: false,
  });
  const address = useMemo(() => data && URL.createObjectURL(data), [data]);
  useEffect(() => () => void (address && URL.revokeObjectURL(address)), [address]);
  return { address, error };
}

/** Why a file cannot be shown: the server names who deleted it. */
const missing = (name: string, error: Error) => (isGone(error) ? failureText(error) : t.missing(name));

const remove = command(({ id }: FileReference) => call(deleteFileOfWorkUnit, { id }, { quiet: true }), {
  confirm: ({ name }) => ({ title: t.deleteTitle, text: t.deleteQuestion(name), yes: en.common.delete, danger: true }),
  done: (_answer, { name }) => t.deleted(name),
  refreshes: [workUnits.name, fileOfWorkUnit],
});

function DeleteButton(named: FileReference & { onDone?: () => void }) {
  const may = useMay();
  if (!may('WorkUnits', 'edit') && !may('WorkUnits', 'delete')) return null;
  const run = async () => {
    if (await remove(named)) named.onDone?.();
  };
  return <IconButton small icon="trash" look="quiet" label={t.deleteOf(named.name)} onClick={() => void run()} />;
}

function FullImage({ id, name, onClose }: FileReference & { onClose: () => void }) {
  const { address, error } = useNoteImage(id, false);
  return (
    <Dialog
      title={name}
      onClose={onClose}
      actions={
        <>
          <DeleteButton id={id} name={name} onDone={onClose} />
          <Button onClick={() => void download({ id, name })}>{t.download}</Button>
          <Button look="primary" onClick={onClose}>
            {en.common.close}
          </Button>
        </>
      }
    >
      {error ? missing(name, error) : address && <img className="full-image" src={address} alt={name} />}
    </Dialog>
  );
}

function NoteImage({ id, name }: FileReference) {
  const { address, error } = useNoteImage(id, true);
  const [isOpen, setIsOpen] = useState(false);
  if (error) return missing(name, error);
  return (
    <>
      <button type="button" className="note-image" aria-label={t.open(name)} onClick={() => setIsOpen(true)}>
        {address ? <img src={address} alt="" /> : name}
      </button>
      {isOpen && <FullImage id={id} name={name} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function NoteDownload({ id, name }: FileReference) {
  return (
    <>
      <Button small icon="download" className="note-file" aria-label={t.downloadOf(name)} onClick={() => void download({ id, name })}>
        <span className="ellipsis">{name}</span>
      </Button>
      <DeleteButton id={id} name={name} />
    </>
  );
}

export function NoteFile({ isImage, ...named }: NoteFileProps) {
  return isImage ? <NoteImage {...named} /> : <NoteDownload {...named} />;
}
