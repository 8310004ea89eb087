/** A file of a note: an image in small, which opens in full, or a button that downloads. */
import { useEffect, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { fileOfWorkUnit } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { noteFileTexts as t } from '@cloudfit/contract/messages/note-files.en.ts';
import { callFile } from '../../api/call.ts';
import { command } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { saveBlob } from '../../components/save-file.ts';
import './note-files.css';

interface NamedFile {
  id: string;
  name: string;
}

type NoteFileProps = NamedFile & { isImage: boolean };

const contentOf = async (id: string, small: boolean, signal?: AbortSignal): Promise<Blob> => {
  const input = { id, ...(small ? { small: 'true' as const } : {}) };
  return (await callFile(fileOfWorkUnit, input, { quiet: true, accept: '*/*', ...(signal ? { signal } : {}) })).blob();
};

const download = command(async ({ id, name }: NamedFile) => saveBlob(name, await contentOf(id, false)), {
  failed: ({ name }) => t.downloadFailed(name),
});

/** An address of the image for this page alone, because an image cannot send the sign-in; undefined while it loads. */
function useNoteImage(id: string, small: boolean) {
  const { data, isError } = useQuery({
    queryKey: [fileOfWorkUnit, id, small],
    queryFn: ({ signal }) => contentOf(id, small, signal),
    staleTime: Infinity,
    retry: false,
  });
  const address = useMemo(() => data && URL.createObjectURL(data), [data]);
  useEffect(() => () => void (address && URL.revokeObjectURL(address)), [address]);
  return { address, isError };
}

function FullImage({ id, name, onClose }: NamedFile & { onClose: () => void }) {
  const { address, isError } = useNoteImage(id, false);
  return (
    <Dialog
      title={name}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => void download({ id, name })}>{t.download}</Button>
          <Button look="primary" onClick={onClose}>
            {en.common.close}
          </Button>
        </>
      }
    >
      {isError ? t.missing(name) : address && <img className="full-image" src={address} alt={name} />}
    </Dialog>
  );
}

function NoteImage({ id, name }: NamedFile) {
  const { address, isError } = useNoteImage(id, true);
  const [isOpen, setIsOpen] = useState(false);
  if (isError) return t.missing(name);
  return (
    <>
      <button type="button" className="note-image" aria-label={t.open(name)} onClick={() => setIsOpen(true)}>
        {address ? <img src={address} alt="" /> : name}
      </button>
      {isOpen && <FullImage id={id} name={name} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function NoteDownload({ id, name }: NamedFile) {
  return (
    <Button small icon="download" aria-label={t.downloadOf(name)} onClick={() => void download({ id, name })}>
      {name}
    </Button>
  );
}

export function NoteFile({ isImage, ...named }: NoteFileProps) {
  return isImage ? <NoteImage {...named} /> : <NoteDownload {...named} />;
}
