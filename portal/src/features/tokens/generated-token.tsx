import { useEffect, useRef } from 'react';
import { tokenTexts as t } from '@cloudfit/contract/messages/tokens.en.ts';
import { IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Icon } from '../../components/icon.tsx';

interface GeneratedTokenProps {
  name: string;
  token: string;
  onClose: () => void;
}

/** The new token; this is the only time that it is shown (TOK-007). */
export function GeneratedToken({ name, token, onClose }: GeneratedTokenProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <section ref={place} className="generated-token" tabIndex={-1} aria-label={t.generatedTitle(name)}>
      <Icon name="warning" />
      <div className="grow">
        <strong>{t.generatedTitle(name)}</strong>
        <p>{t.generatedWarning}</p>
        <div className="value">
          <code>{token}</code>
          <CopyButton text={token} label={t.generatedLabel} done={t.copied} />
        </div>
        <p>
          {t.generatedUse} <a href="/docs">{t.generatedApi}</a>
        </p>
      </div>
      <IconButton small icon="close" label={t.hide} onClick={onClose} />
    </section>
  );
}
