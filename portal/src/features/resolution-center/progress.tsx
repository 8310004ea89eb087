import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import type { CustomerRequest } from './requests.ts';

const t = resolutionCenterEn.progress;

/** The state in the customer's words, whether somebody works on it, when news is expected, and what became of a call. */
export function Progress({ request }: { request: CustomerRequest }) {
  const { stateId, status, isAssigned, nextUpdate, callDue, callTaken } = request;
  const now = useNow();
  const isOver = (time: string) => Date.parse(time) <= now;
  return (
    <section className="form-section request-progress" aria-label={t.label}>
      <p>
        {t.states[stateId]} {status === 'Active' && (isAssigned ? t.assigned : t.unassigned)}
      </p>
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
