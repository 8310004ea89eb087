import { CopyButton } from './copy-button.tsx';
import { en } from '@cloudfit/contract/messages/en.ts';
import './json-block.css';

/** Returns the value as indented JSON; text that is no JSON is returned unchanged. */
function laidOut(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

/** A value as JSON, to read and to copy. */
export function JsonBlock({ label, value }: { label: string; value: unknown }) {
  const text = laidOut(value);
  return (
    <figure className="json-block">
      <figcaption>
        {label}
        <CopyButton text={text} label={label} done={en.copy.readOnly} />
      </figcaption>
      <pre className="mono" tabIndex={0} role="group" aria-label={label}>
        {text}
      </pre>
    </figure>
  );
}
