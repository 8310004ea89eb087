import { onDemand } from '../../components/on-demand.tsx';

interface NamedFile {
  id: string;
  name: string;
  isImage: boolean;
}

const { Component: NoteFile } = onDemand<NamedFile>(() => import('./note-file.tsx').then((module) => module.NoteFile), {
  waiting: ({ name }) => name,
});

/** A file that a note names, for `Markdown`; its code loads with the first one. */
export const fileOfNote = (named: NamedFile) => <NoteFile {...named} />;
