import { useEffect, useRef } from 'react';
import { eventSubscriptionTexts as t } from '@cloudfit/contract/messages/event-subscriptions.en.ts';
import { IconButton } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Icon } from '../../../components/icon.tsx';
import type { NewSecret } from './subscription-row.ts';

/** The secret of a new subscription, or a new secret, which is shown only here. */
export function ReadySecret({ name, generatedSecret, service, onClose }: NewSecret & { onClose: () => void }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <section ref={place} className="receiver-ready" tabIndex={-1} aria-label={t.ready(name)}>
      <Icon name="warning" />
      <div className="grow">
        <strong>{t.ready(name)}</strong>
        <p>{service === 'CloudEvents' ? t.secretOnce : t.serviceSecretOnce}</p>
        <div className="receiver-line">
          <pre tabIndex={0} role="group" aria-label={t.secret}>
            {generatedSecret}
          </pre>
          <CopyButton text={generatedSecret} label={t.secret} done={t.copied} />
        </div>
      </div>
      <IconButton small icon="close" label={t.hide} onClick={onClose} />
    </section>
  );
}
