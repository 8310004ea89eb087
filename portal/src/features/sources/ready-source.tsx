import { useEffect, useRef } from 'react';
import { sourceTexts as t } from '@cloudfit/contract/messages/sources.en.ts';
import { IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { PasteBox } from './paste-box.tsx';
import type { NewSource } from './source-row.ts';

/** A new source, or one with a new token, which is shown only here. */
export function ReadySource({ source, onClose }: { source: NewSource; onClose: () => void }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <section ref={place} className="receiver-ready" tabIndex={-1} aria-label={t.ready(source.name)}>
      <Icon name="warning" />
      <div className="grow">
        <strong>{t.ready(source.name)}</strong>
        <p>{t.tokenOnce}</p>
        <PasteBox source={source} token={source.generatedToken} />
      </div>
      <IconButton small icon="close" label={t.hide} onClick={onClose} />
    </section>
  );
}
