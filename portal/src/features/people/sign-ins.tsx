/** Where a person is signed in, and the second factor: for those who may edit people. */
import { useQuery } from '@tanstack/react-query';
import { peopleTexts as t } from '@cloudfit/contract/messages/people.en.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { callJson, failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { exactTime, RelativeTime } from '../../components/relative-time.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { valueText } from '../../rows/cells.tsx';
import { endSessions, removeSecondFactor, sessionsKey, type Person } from './change-person.ts';
import './sign-ins.css';

interface PersonSession {
  sessionId: string;
  signedInOn: string;
  withPasskey: boolean;
  withCode: boolean;
}

function howText({ withPasskey, withCode }: PersonSession): string {
  if (withPasskey) return t.sessions.passkey;
  return withCode ? t.sessions.code : t.sessions.password;
}

function Sessions({ row, mayEdit }: { row: Person; mayEdit: boolean }) {
  const s = t.sessions;
  const { data, error, refetch } = useQuery({
    queryKey: sessionsKey(row.personId),
    queryFn: () => callJson<PersonSession[]>(`/v1/people/${row.personId}/sessions`, { quiet: true }),
    enabled: mayEdit,
  });
  if (error) return <ErrorState small title={failureText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width="70%" />;
  if (data.length === 0) return <p className="muted">{s.none}</p>;
  return (
    <>
      <ul className="sign-ins">
        {data.map((session) => (
          <li key={session.sessionId} className="row">
            <span className="grow">
              {s.signedIn} <RelativeTime value={session.signedInOn} /> <span className="muted">{howText(session)}</span>
            </span>
            <Button small aria-label={s.endOf(exactTime(session.signedInOn))} onClick={() => void endSessions(row, session.sessionId)}>
              {s.end}
            </Button>
          </li>
        ))}
      </ul>
      <Button small look="danger" onClick={() => void endSessions(row)}>
        {s.endAll}
      </Button>
    </>
  );
}

export function SignIns({ row }: { row: Person }) {
  const mayEdit = useMay()('People', 'edit');
  return (
    <div className="body">
      <section className="form-section" aria-label={t.sessions.title}>
        <h3>{t.sessions.title}</h3>
        <Sessions row={row} mayEdit={mayEdit} />
      </section>
      <section className="form-section" aria-label={t.secondFactor.title}>
        <h3>{t.secondFactor.title}</h3>
        <p>{valueText(people, 'secondFactor', row)}</p>
        {mayEdit && row.secondFactor !== 'None' && (
          <>
            <p className="faint">{t.secondFactor.hint}</p>
            <Button small look="danger" onClick={() => void removeSecondFactor(row)}>
              {t.secondFactor.remove}
            </Button>
          </>
        )}
      </section>
    </div>
  );
}
