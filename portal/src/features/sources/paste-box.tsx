import { sourceTexts as t } from '@cloudfit/contract/messages/sources.en.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { addressOf, pasteLine } from './paste-line.ts';
import type { SourceEntity } from './source-row.ts';

/** What to paste into the program that sends; without a token a word stands in its place. */
export function PasteBox({ source, token = t.yourToken }: { source: SourceEntity; token?: string }) {
  const text = pasteLine(source, addressOf(source, location.origin), token);
  return (
    <div className="receiver-paste">
      <p className="faint">{t.how[source.kind]}</p>
      <div className="receiver-line">
        <pre tabIndex={0} role="group" aria-label={t.paste}>
          {text}
        </pre>
        <CopyButton text={text} label={t.paste} done={t.copied} />
      </div>
    </div>
  );
}
