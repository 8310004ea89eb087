/** Tries the mail server: for people who may edit the settings of all tenants. */
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { sendTestMail } from '@cloudfit/contract/calls.ts';
import { installationTexts } from '@cloudfit/contract/messages/installation.en.ts';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { useInstallationHealth } from '../../api/installation.ts';
import { useCurrentUser, useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';

const t = installationTexts.testMail;

function TestMailForm({ address }: { address: string }) {
  const [to, setTo] = useState(address);
  const { mutate, data, error, isPending } = useMutation({ mutationFn: () => call(sendTestMail, { to }) });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <Field label={t.to}>
        {(aria) => <input className="input" type="email" required {...aria} value={to} onChange={(event) => setTo(event.target.value)} />}
      </Field>
      <p>
        <Button type="submit" icon="mail" disabled={isPending}>
          {t.send}
        </Button>
      </p>
      <div role="status">
        {data && (
          <p className={data.isSent ? 'notice' : 'notice error'}>
            {data.isSent ? t.sent : t.notSent}: {data.answer}
          </p>
        )}
        {error && (
          <p className="notice error">
            {t.failed} {failureText(error)}
          </p>
        )}
      </div>
    </form>
  );
}

export function TestMail() {
  const { data: health } = useInstallationHealth(useMay()('Settings', 'edit'));
  const { data: user } = useCurrentUser();
  if (!health) return null;
  return (
    <section className="form-section settings" aria-label={t.title}>
      <h3>{t.title}</h3>
      <p className="muted">{health.mail.isSet ? t.isSet : t.notSet}</p>
      {health.mail.isSet && user && <TestMailForm address={user.userName} />}
    </section>
  );
}
