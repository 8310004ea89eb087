/** Where a person is signed in, the second factor, and their accounts in chats: for those who may edit people. */
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { listSessionsOfPerson } from '@cloudfit/contract/calls.ts';
import { peopleTexts as t } from '@cloudfit/contract/messages/people.en.ts';
import { chatAccountTexts } from '@cloudfit/contract/messages/chat-accounts.en.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { ChatAccounts } from '../../entities/chat-accounts/chat-accounts.tsx';
import { valueText } from '../../rows/cells.tsx';
import { endSessions, removeSecondFactor, type Person } from './change-person.ts';
import './sign-ins.css';

type PersonSession = CallOutput<typeof listSessionsOfPerson>[number];

function howText({ withPasskey, withCode }: PersonSession): string {
  if (withPasskey) return t.sessions.passkey;
  return withCode ? t.sessions.code : t.sessions.password;
}

function Sessions({ row, mayEdit }: { row: Person; mayEdit: boolean }) {
  const s = t.sessions;
  const sessions = useCall(listSessionsOfPerson, { id: row.personId }, { refreshedBy: people.name, enabled: mayEdit });
  return (
    <Loaded query={sessions} empty={<p className="muted">{s.none}</p>}>
      {(active) => (
        <>
          <ul className="sign-ins">
            {active.map((session) => (
              <li key={session.sessionId} className="row">
                <span className="grow">
                  {s.signedIn} <RelativeTime value={session.signedInOn} /> <span className="muted">{howText(session)}</span>
                </span>
                <Button
                  small
                  aria-label={s.endOf(exactTime(session.signedInOn))}
                  onClick={() => void endSessions({ person: row, sessionId: session.sessionId })}
                >
                  {s.end}
                </Button>
              </li>
            ))}
          </ul>
          <Button small look="danger" onClick={() => void endSessions({ person: row })}>
            {s.endAll}
          </Button>
        </>
      )}
    </Loaded>
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
      <section className="form-section" aria-label={chatAccountTexts.title}>
        <h3>{chatAccountTexts.title}</h3>
        <ChatAccounts personId={row.personId} mayEnd={mayEdit} className="sign-ins" />
      </section>
    </div>
  );
}
