/** Sends a test message by each channel, and shows the outcome. */
import { useState } from 'react';
import { useQueries } from '@tanstack/react-query';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { testNotification, testNotificationOutcomes } from '@cloudfit/contract/calls.ts';
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import type { ShownPreferences } from '@cloudfit/contract/on-call/preferences.calls.ts';
import { call, callQuery } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { useScope } from '../../rows/use-scope.ts';

type ChannelState = ShownPreferences['reach'][number];

type TestMessage = CallOutput<typeof testNotification>['messages'][number];
type TestAnswer = CallOutput<typeof testNotificationOutcomes>;

const tones = { Sent: 'ok', Failed: 'danger', Kept: 'warn', Retrying: 'warn', Waiting: 'info' } as const;

function Outcomes({ messages }: { messages: readonly TestMessage[] }) {
  const answers = useQueries({
    queries: messages.map(({ messageId }) => ({
      ...callQuery(testNotificationOutcomes, { messageId }),
      refetchInterval: (query: { state: { data: TestAnswer | undefined } }) =>
        ['Waiting', 'Retrying', undefined].includes(query.state.data?.outcome) ? 1_000 : false,
    })),
  });
  return messages.map(({ messageId, address }, at) => {
    const outcome = answers[at]?.data?.outcome ?? 'Waiting';
    return (
      <span key={messageId} className="row">
        <span className="grow">
          {address} {answers[at]?.data?.error && outcome !== 'Sent' && <span className="faint">{answers[at].data.error}</span>}
        </span>
        <Chip tone={tones[outcome]}>{t.outcomes[outcome]}</Chip>
      </span>
    );
  });
}

function ChannelTest({ channel, problem, hasAddress }: ChannelState) {
  const { tenantId } = useScope();
  const [messages, setMessages] = useState<readonly TestMessage[]>([]);
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const send = async () => {
    setSending(true);
    setFailure(undefined);
    try {
      setMessages((await call(testNotification, { channel, tenantId: tenantId ?? '' })).messages);
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <li>
      <span className="row">
        <span className="grow">
          {t.channels[channel]} <span className={problem === null ? 'muted' : 'channel-problem'}>{problem ?? t.reaches}</span>
        </span>
        {hasAddress && (
          <Button small disabled={isSending || !tenantId} onClick={() => void send()}>
            {t.test(t.channels[channel])}
          </Button>
        )}
      </span>
      <div role="status">
        <Outcomes messages={messages} />
        {failure && <p className="notice error">{failure}</p>}
      </div>
    </li>
  );
}

export function ChannelTests({ channels }: { channels: readonly ChannelState[] }) {
  return (
    <section className="form-section" aria-label={t.reach}>
      <h2>{t.reach}</h2>
      <ul className="channel-tests">
        {channels.map((channel) => (
          <ChannelTest key={channel.channel} {...channel} />
        ))}
      </ul>
    </section>
  );
}
