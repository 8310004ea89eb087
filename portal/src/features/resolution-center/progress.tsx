import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import type { CustomerRequest } from './requests.ts';

const t = resolutionCenterEn.progress;

const steps = ['received', 'worked', 'waiting', 'solved'] as const;
type ProgressStep = (typeof steps)[number];

const stepOf: Record<Exclude<CustomerRequest['stateId'], 'Canceled'>, ProgressStep> = {
  New: 'received',
  Acknowledged: 'worked',
  InProgress: 'worked',
  Mitigated: 'worked',
  OnHold: 'waiting',
  Resolved: 'solved',
  Closed: 'solved',
};

/** Where the request is. */
function Steps({ now, waitsForCustomer }: { now: ProgressStep; waitsForCustomer: boolean }) {
  const at = steps.indexOf(now);
  return (
    <ol className="request-steps" aria-label={t.steps}>
      {steps
        .filter((step) => step !== 'waiting' || now === 'waiting')
        .map((step) => (
          <li
            key={step}
            className={step === now ? 'now' : steps.indexOf(step) < at ? 'past' : undefined}
            aria-current={step === now ? 'step' : undefined}
          >
            {step === 'waiting' && !waitsForCustomer ? t.onHold : t.step[step]}
          </li>
        ))}
    </ol>
  );
}

/** Where the request is, the state in the customer's words, who is next and until when, and what became of a call. */
export function Progress({ request }: { request: CustomerRequest }) {
  const { stateId, status, isAssigned, nextUpdate, callDue, callTaken, waitsForCustomer } = request;
  const now = useNow();
  const isOver = (time: string) => Date.parse(time) <= now;
  return (
    <section className="form-section request-progress" aria-label={t.label}>
      {stateId !== 'Canceled' && <Steps now={stepOf[stateId]} waitsForCustomer={waitsForCustomer} />}
      <p>
        {t.states[stateId]} {status === 'Active' && (isAssigned ? t.assigned : t.unassigned)}
      </p>
      {waitsForCustomer && <p>{t.youAreNext}</p>}
      {status === 'Active' && !waitsForCustomer && !nextUpdate && <p>{t.weAreNext}</p>}
      {nextUpdate && (
        <p>
          {isOver(nextUpdate) ? (
            t.late
          ) : (
            <>
              {t.nextUpdate} <RelativeTime value={nextUpdate} />.
            </>
          )}
        </p>
      )}
      {callDue && (
        <p>
          {callTaken ? (
            t.callTaken
          ) : isOver(callDue) ? (
            t.callLate
          ) : (
            <>
              {t.callAsked} <RelativeTime value={callDue} />.
            </>
          )}
        </p>
      )}
    </section>
  );
}
