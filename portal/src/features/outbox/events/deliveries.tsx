import { useState } from 'react';
import { redeliverEvents } from '@cloudfit/contract/calls.ts';
import { dayMs, hourMs } from '@cloudfit/contract/durations.ts';
import { and, compare, eq } from '@cloudfit/contract/query/build.ts';
import { eventSubscriptionTexts as t } from '@cloudfit/contract/messages/event-subscriptions.en.ts';
import { eventDeliveries, eventSubscriptions } from '@cloudfit/contract/resources/event-subscriptions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { call } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';
import { command } from '../../../calls/command.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { Checkbox } from '../../../components/fields/checkbox.tsx';
import { choicesOf, Select } from '../../../components/fields/select.tsx';
import { JsonBlock } from '../../../components/json-block.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { EmptyState } from '../../../components/states.tsx';
import { useList } from '../../../rows/use-rows.ts';
import { decimalText } from '../../../theme/times.ts';
import type { SubscriptionEntity } from './subscription-row.ts';

const pollMs = 5_000;
const shown = 50;
const tones = { Waiting: 'info', Delivered: 'ok', Failed: 'danger', Canceled: 'unknown' } as const;

type RepeatedSpan = keyof typeof t.spans;
const spans = ['failed', 'hour', 'day', 'week'] as const;
const lengths = { failed: 30 * dayMs, hour: hourMs, day: dayMs, week: 7 * dayMs } as const;

interface EventsToRepeat {
  id: string;
  eventDeliveryIds?: number[];
  from?: string;
  failedOnly?: boolean;
}

const again = command((chosen: EventsToRepeat) => call(redeliverEvents, chosen), {
  confirm: ({ from, failedOnly }) =>
    from !== undefined && failedOnly !== true ? { title: t.again, text: t.againQuestion, yes: t.again } : undefined,
  done: ({ queued }) => t.againQueued(decimalText(queued, 0)),
  failed: () => t.againFailed,
  refreshes: [eventSubscriptions.name, eventDeliveries.name],
});

function Delivery({ delivery }: { delivery: Row<typeof eventDeliveries> }) {
  const may = useMay();
  const {
    eventDeliveryId,
    eventSubscriptionId: id,
    status,
    type,
    subject,
    occurred,
    attempts,
    nextAttempt,
    error,
    answer,
    body,
  } = delivery;
  const answered = delivery.answerStatus === null ? undefined : t.answered(String(delivery.answerStatus));
  const took = delivery.durationMs === null ? undefined : t.took(decimalText(delivery.durationMs, 0));
  return (
    <article className="event-delivery" aria-label={`${type} ${subject}`}>
      <header>
        <strong className="grow">{type}</strong>
        <Chip tone={tones[status]}>{t.statuses[status]}</Chip>
        {status !== 'Waiting' && type !== 'cloudfit.test' && may('Settings', 'edit') && (
          <Button small onClick={() => void again({ id, eventDeliveryIds: [eventDeliveryId] })}>
            {t.again}
          </Button>
        )}
      </header>
      <p className="faint">
        {[subject, t.attempts(decimalText(attempts, 0)), answered, took].filter(Boolean).join(' · ')} · <RelativeTime value={occurred} />
        {nextAttempt && (
          <>
            , {t.next} <RelativeTime value={nextAttempt} />
          </>
        )}
      </p>
      {error && <p>{error}</p>}
      {(body !== null || answer) && (
        <details>
          <summary>{t.event}</summary>
          {body !== null && <JsonBlock label={t.event} value={body} />}
          {answer && <JsonBlock label={t.answer} value={answer} />}
        </details>
      )}
    </article>
  );
}

/** The latest deliveries of a subscription, each with what its receiver answered, and sending again. */
export function Deliveries({ row: { eventSubscriptionId: id } }: { row: SubscriptionEntity }) {
  const may = useMay();
  const [onlyProblems, setOnlyProblems] = useState(false);
  const [span, setSpan] = useState<RepeatedSpan>('failed');
  const filter = and(
    eq(eventDeliveries, 'eventSubscriptionId', id),
    onlyProblems ? compare(eventDeliveries, 'status', 'ne', 'Delivered') : undefined,
  );
  const list = useList(eventDeliveries, { filter, orderBy: 'eventDeliveryId desc', top: shown }, { pollMs });
  const sendAgain = () =>
    void again({ id, from: new Date(Date.now() - lengths[span]).toISOString(), ...(span === 'failed' ? { failedOnly: true } : {}) });
  return (
    <section className="form-section" aria-label={t.deliveries}>
      <div className="receiver-state event-verbs">
        <Checkbox label={t.onlyProblems} checked={onlyProblems} onChange={setOnlyProblems} />
        <span className="grow" />
        {may('Settings', 'edit') && (
          <>
            <Select aria-label={t.span} choices={choicesOf(spans, t.spans)} value={span} onChange={setSpan} />
            <Button small icon="refresh" onClick={sendAgain}>
              {t.again}
            </Button>
          </>
        )}
      </div>
      <Loaded
        query={{ data: list.data?.rows, error: list.error, refetch: list.refetch }}
        failed={t.deliveriesFailed}
        empty={<EmptyState small icon="link" title={t.noDeliveries} text={t.noDeliveriesText} />}
      >
        {(deliveries) => (
          <>
            {deliveries.map((delivery) => (
              <Delivery key={delivery.eventDeliveryId} delivery={delivery} />
            ))}
            {deliveries.length === shown && <p className="faint">{t.latest(decimalText(shown, 0))}</p>}
          </>
        )}
      </Loaded>
    </section>
  );
}
