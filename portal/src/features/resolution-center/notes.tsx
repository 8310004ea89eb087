import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { failureText } from '../../api/client.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useNotes } from './requests.ts';

const t = resolutionCenterEn.detail;

/** Notes for the person who made the request, newest first. */
export function Notes({ id }: { id: number }) {
  const { data, error, refetch } = useNotes(id);
  return (
    <section className="form-section" aria-label={t.notes}>
      <h3>{t.notes}</h3>
      {error && !data && <ErrorState small title={t.notesFailed} text={failureText(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton width="70%" />}
      {data?.length === 0 && <p className="muted">{t.noNotes}</p>}
      {data && data.length > 0 && (
        <ul className="request-notes">
          {data.map((note) => (
            <li key={note.workUnitNoteId}>
              <p className="request-words">{note.detail}</p>
              <span className="faint">
                <RelativeTime value={note.created} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
