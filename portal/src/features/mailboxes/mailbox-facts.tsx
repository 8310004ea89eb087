import { useState } from 'react';
import { newMailboxToken, testMailbox } from '@cloudfit/contract/calls.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { mailboxTexts as t } from '@cloudfit/contract/messages/mailboxes.en.ts';
import { mailboxes } from '@cloudfit/contract/resources/mailboxes.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { command } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { decimalText } from '../../theme/times.ts';
import { stateOf, type MailboxEntity, type NewMailbox } from './mailbox-row.ts';
import { PipeBox } from './pipe-box.tsx';

const renewToken = command(({ mailboxId: id }: MailboxEntity) => call(newMailboxToken, { id }), {
  confirm: ({ name }) => ({ title: t.newToken, text: t.newTokenQuestion(name), yes: t.newToken, danger: true }),
  failed: ({ name }) => t.newTokenFailed(name),
  refreshes: [mailboxes.name],
});

const tryConnection = command(({ mailboxId: id }: MailboxEntity) => call(testMailbox, { id }), {
  failed: () => t.testFailed,
  refreshes: [],
});

/** Whether a mailbox is read, what came, and how to test it. */
export function MailboxFacts({ mailbox, onToken }: { mailbox: MailboxEntity; onToken: (mailbox: NewMailbox) => void }) {
  const may = useMay();
  const [isTrying, setTrying] = useState(false);
  const [trial, setTrial] = useState<CallOutput<typeof testMailbox>>();
  const state = stateOf(mailbox);
  const renew = async () => {
    const done = await renewToken(mailbox);
    if (done) onToken({ ...mailbox, ...done.answer });
  };
  const test = async () => {
    setTrying(true);
    setTrial(undefined);
    setTrial((await tryConnection(mailbox))?.answer);
    setTrying(false);
  };
  const facts: readonly [string, React.ReactNode][] = [
    ...(mailbox.host
      ? [
          [t.connected, mailbox.connected ? <RelativeTime key="connected" value={mailbox.connected} /> : t.none] as [
            string,
            React.ReactNode,
          ],
        ]
      : []),
    [t.lastMail, mailbox.lastMail ? <RelativeTime key="lastMail" value={mailbox.lastMail} /> : t.none],
    [t.taken, decimalText(mailbox.mailsTaken, 0)],
    [t.held, decimalText(mailbox.mailsHeld, 0)],
    [t.refused, decimalText(mailbox.mailsRefused, 0)],
  ];
  return (
    <section className="form-section" aria-label={t.state}>
      <div className="receiver-state">
        <Chip dot tone={state.tone}>
          {state.text}
        </Chip>
        <span className="mono faint">{mailbox.tokenHint}</span>
        <span className="grow" />
        {may('Sources', 'edit') && (
          <>
            {mailbox.host && (
              <Button small icon="link" disabled={isTrying} onClick={() => void test()}>
                {t.test}
              </Button>
            )}
            <Button small icon="refresh" onClick={() => void renew()}>
              {t.newToken}
            </Button>
          </>
        )}
      </div>
      {trial && (
        <p className={trial.works ? 'notice ok' : 'notice'} role="status">
          <strong>{trial.works ? t.works : t.doesNotWork}.</strong> {trial.message}
        </p>
      )}
      {!trial && mailbox.enabled && mailbox.problem && <p className="notice">{mailbox.problem}</p>}
      <dl className="receiver-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <PipeBox mailbox={mailbox} />
    </section>
  );
}
