import { externalNotesOf } from '@cloudfit/contract/calls.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { useCall } from '../../api/call.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { pollMs, requests } from './requests.ts';

const t = resolutionCenterEn.detail;

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
                <p className="request-words">{note.detail}</p>
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
