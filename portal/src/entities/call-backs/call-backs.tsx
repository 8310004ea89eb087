/** The queue of call backs: who waits for a call and until when, to take and to close. Renders nothing while nobody waits. */
import { useState } from 'react';
import { Link } from 'react-router';
import { closeCallBack, takeCallBack } from '@cloudfit/contract/calls.ts';
import { callBackTexts as t } from '@cloudfit/contract/messages/call-backs.en.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { callBackOutcomes, callBacks, type CallBackOutcome } from '@cloudfit/contract/resources/call-backs.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { call } from '../../api/call.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Chip, SeverityChip } from '../../components/chips.tsx';
import { lasting, RelativeTime, useNow } from '../../components/relative-time.tsx';
import { PersonWho } from '../../rows/person-name.tsx';
import { useList } from '../../rows/use-rows.ts';
import { unitAddress } from '../explanations/addresses.ts';
import { useCallBackCount } from './use-call-back-count.ts';
import './call-backs.css';

type ShownCallBack = ExpandedRow<typeof callBacks, 'workUnit' | 'tenant'>;

// Taking and closing write into the feed of the unit, too.
const refreshes = [callBacks.name, workUnits.name];
const maxShown = 20;
const maxNote = 2_000;

/** Until when a call was promised. */
export function CallDue({ due }: { due: string }) {
  const left = Date.parse(due) - useNow();
  return <Chip tone={left <= 0 ? 'danger' : 'warn'}>{left <= 0 ? t.overdue(lasting(left)) : t.dueIn(lasting(left))}</Chip>;
}

interface CallProps {
  callBack: Pick<ShownCallBack, 'callBackId' | 'phone'>;
  /** The unit that it is about. */
  title: string;
}

/** Takes the call back. */
export function TakeCall({ callBack: { callBackId: id }, title }: CallProps) {
  const { run, isBusy } = useCommand(() => call(takeCallBack, { id }), { done: () => t.taken, refreshes });
  return (
    <Button small look="primary" icon="phone" aria-label={t.takeLabel(title)} disabled={isBusy} onClick={() => void run(undefined)}>
      {t.take}
    </Button>
  );
}

/** How the call ended. */
export function CloseCall({ callBack: { callBackId: id, phone }, title }: CallProps) {
  const [note, setNote] = useState('');
  const { run, isBusy } = useCommand((outcome: CallBackOutcome) => call(closeCallBack, { id, outcome, note }), {
    done: (_answer, outcome) => t.closed[outcome],
    refreshes,
  });
  return (
    <div className="row">
      {phone && <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>{phone}</a>}
      <input
        className="input grow"
        aria-label={t.noteLabel(title)}
        placeholder={t.note}
        maxLength={maxNote}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      {callBackOutcomes.map((outcome) => (
        <Button
          key={outcome}
          small
          look={outcome === 'Reached' ? 'primary' : 'plain'}
          aria-label={t.outcomeLabel(t.outcomes[outcome], title)}
          disabled={isBusy}
          onClick={() => void run(outcome)}
        >
          {t.outcomes[outcome]}
        </Button>
      ))}
    </div>
  );
}

function CallBackItem({ callBack }: { callBack: ShownCallBack }) {
  const { workUnit, workUnitId, tenant, due, created, requestedBy, takenBy, phone } = callBack;
  const title = workUnit ? `#${workUnit.publicWorkUnitId} ${workUnit.title}` : `#${workUnitId}`;
  const mayChange = currentImpersonation() === undefined;
  return (
    <li>
      <div className="row">
        <CallDue due={due} />
        {workUnit && <SeverityChip value={workUnit.severityId} />}
        <Link className="grow ellipsis" to={unitAddress(workUnitId)} title={title}>
          {title}
        </Link>
        {takenBy === null && mayChange && <TakeCall callBack={callBack} title={title} />}
      </div>
      <p className="row muted">
        <span>
          {tenant && `${tenant.name} · `}
          <PersonWho userName={requestedBy} /> {t.requested} <RelativeTime value={created} />
          {takenBy === null && phone && ` · ${phone}`}
        </span>
        <span>
          {takenBy === null ? (
            t.nobody
          ) : (
            <>
              {t.takenBy} <PersonWho userName={takenBy} />
            </>
          )}
        </span>
      </p>
      {takenBy !== null && mayChange && <CloseCall callBack={callBack} title={title} />}
    </li>
  );
}

/** Asks for the rows only while somebody waits. Of one work unit, or of all that the person may see. */
export function CallBacks({ workUnitId }: { workUnitId?: number }) {
  const { open } = useCallBackCount();
  const filter = and(eq(callBacks, 'closedAt', null), workUnitId === undefined ? undefined : eq(callBacks, 'workUnitId', workUnitId));
  const query = { filter, orderBy: 'due', top: maxShown, expand: ['workUnit', 'tenant'] } as const;
  const { data } = useList(callBacks, query, { enabled: open > 0 });
  if (open === 0 || !data || data.rows.length === 0) return null;
  return (
    <section className="call-backs" aria-label={t.title}>
      <h3>{t.title}</h3>
      <ul>
        {data.rows.map((callBack) => (
          <CallBackItem key={callBack.callBackId} callBack={callBack} />
        ))}
      </ul>
    </section>
  );
}
