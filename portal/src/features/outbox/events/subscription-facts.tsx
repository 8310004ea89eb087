import type { ReactNode } from 'react';
import { newEventSecret, resumeEventSubscription, testEventSubscription } from '@cloudfit/contract/calls.ts';
import { eventSubscriptionTexts as t } from '@cloudfit/contract/messages/event-subscriptions.en.ts';
import { serviceCallPath } from '@cloudfit/contract/events/services.ts';
import { eventDeliveries, eventSubscriptions } from '@cloudfit/contract/resources/event-subscriptions.ts';
import { call } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';
import { command } from '../../../calls/command.ts';
import { Button } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { ErrorNotice } from '../../../components/states.tsx';
import { decimalText } from '../../../theme/times.ts';
import { stateOf, type NewSecret, type SubscriptionEntity } from './subscription-row.ts';

const refreshes = [eventSubscriptions.name, eventDeliveries.name];

const renew = command(({ eventSubscriptionId: id }: SubscriptionEntity) => call(newEventSecret, { id }), {
  confirm: ({ name }) => ({ title: t.newSecret, text: t.newSecretQuestion(name), yes: t.newSecret, danger: true }),
  failed: ({ name }) => t.newSecretFailed(name),
  refreshes,
});
const test = command(({ eventSubscriptionId: id }: SubscriptionEntity) => call(testEventSubscription, { id }), {
  done: () => t.tested,
  failed: () => t.testFailed,
  refreshes,
});
const resume = command(({ eventSubscriptionId: id }: SubscriptionEntity) => call(resumeEventSubscription, { id }), {
  done: ({ waiting }) => t.resumed(decimalText(waiting, 0)),
  failed: () => t.resumeFailed,
  refreshes,
});

/** Whether the receiver takes its events, and what can be done about it. */
export function SubscriptionFacts({ row, onSecret }: { row: SubscriptionEntity; onSecret: (secret: NewSecret) => void }) {
  const may = useMay();
  const { text, tone } = stateOf(row);
  // Workflows of Teams call nobody back.
  const callsBack = row.service !== 'CloudEvents' && row.service !== 'Teams';
  const callAddress = callsBack ? `${window.location.origin}${serviceCallPath(row.eventSubscriptionId)}` : undefined;
  const facts: [string, ReactNode][] = [
    [t.lastDelivered, row.lastDelivered ? <RelativeTime key="last" value={row.lastDelivered} /> : t.none],
    [t.secret, row.secretHint],
  ];
  if (row.failingSince) facts.unshift([t.failingSince, <RelativeTime key="failing" value={row.failingSince} />]);
  if (row.lastCall) facts.push([t.lastCall, <RelativeTime key="call" value={row.lastCall} />]);
  if (row.previousUntil) facts.push([t.oldSecretUntil, <RelativeTime key="previous" value={row.previousUntil} />]);
  return (
    <section className="form-section" aria-label={t.state}>
      <div className="receiver-state event-verbs">
        <Chip dot tone={tone}>
          {text}
        </Chip>
        <span className="grow" />
        {may('Settings', 'edit') && (
          <>
            {(row.paused || row.failingSince || !row.enabled) && (
              <Button small look="primary" onClick={() => void resume(row)}>
                {t.resume}
              </Button>
            )}
            <Button small onClick={() => void test(row)}>
              {t.test}
            </Button>
            <Button
              small
              icon="refresh"
              onClick={() =>
                void renew(row).then((done) => {
                  if (done) onSecret({ ...done.answer, name: row.name, service: row.service });
                })
              }
            >
              {t.newSecret}
            </Button>
          </>
        )}
      </div>
      <ErrorNotice text={row.problem} />
      <dl className="receiver-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {callAddress && (
        <>
          <p>
            <strong>{t.callAddress}</strong> {t.callAddressHelp}
          </p>
          <div className="receiver-line">
            <pre tabIndex={0} role="group" aria-label={t.callAddress}>
              {callAddress}
            </pre>
            <CopyButton text={callAddress} label={t.callAddress} done={t.copied} />
          </div>
        </>
      )}
    </section>
  );
}
