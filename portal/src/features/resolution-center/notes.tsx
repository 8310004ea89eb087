import { partsOfNote } from '@cloudfit/contract/notes.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { markdown } from '../../components/markdown/markdown-lazy.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { fileOfNote } from '../../entities/note-files/note-file-lazy.tsx';
import { useNotes } from './use-notes.ts';

const t = resolutionCenterEn.detail;

/** Addresses are links; numbers of units and names of people mean nothing to who made a request. */
const words = (text: string) =>
  partsOfNote(text).map((part, at) =>
    part.kind === 'link' ? (
      <a key={at} href={part.href} target="_blank" rel="noreferrer">
        {part.text}
      </a>
    ) : (
      part.text
    ),
  );

/** The notes of both sides, newest first. */
export function Notes({ id }: { id: number }) {
  const { data, error, refetch } = useNotes(id);
  return (
    <section className="form-section" aria-label={t.notes}>
      <h3>{t.notes}</h3>
      <Loaded query={{ data: data?.value, error, refetch }} failed={t.notesFailed} empty={<p className="muted">{t.noNotes}</p>}>
        {(notes) => (
          <ul className="request-notes">
            {notes.map((note) => (
              <li key={note.workUnitNoteId}>
                <div className="request-words">
                  <markdown.Component text={note.detail} words={words} file={fileOfNote} />
                </div>
                <span className="faint">
                  {note.isFromCustomer && `${resolutionCenterEn.reply.from} · `}
                  <RelativeTime value={note.created} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
