import { externalNotesOf } from '@cloudfit/contract/calls.ts';
import { partsOfNote } from '@cloudfit/contract/notes.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { useCall } from '../../api/call.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { markdown } from '../../components/markdown/markdown-lazy.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { pollMs, requests } from './requests.ts';

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
  const input = { workUnitId: id, query: { orderBy: 'created desc' as const } };
  const { data, error, refetch } = useCall(externalNotesOf, input, { refreshedBy: requests.name, quiet: false, refetchInterval: pollMs });
  return (
    <section className="form-section" aria-label={t.notes}>
      <h3>{t.notes}</h3>
      <Loaded query={{ data: data?.value, error, refetch }} failed={t.notesFailed} empty={<p className="muted">{t.noNotes}</p>}>
        {(notes) => (
          <ul className="request-notes">
            {notes.map((note) => (
              <li key={note.workUnitNoteId}>
                <div className="request-words">
                  <markdown.Component text={note.detail} words={words} />
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
