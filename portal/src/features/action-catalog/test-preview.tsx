/** What a test would send, before it is sent: secrets are masked, and problems that would make it fail are named. */
import { actionCatalogTexts } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { failureText } from '../../api/client.ts';
import { JsonBlock } from '../../components/json-block.tsx';
import { Skeleton } from '../../components/states.tsx';
import { maskedHeaders } from './headers.ts';
import type { TestPreview } from './use-test-subjects.ts';

const t = actionCatalogTexts.test.preview;

interface PreviewProps {
  data: TestPreview | undefined;
  error: unknown;
  /** Whether a work unit or match must be chosen first. */
  isMissing: boolean;
}

function RequestShown({ request: { method, url, headers, body } }: { request: NonNullable<TestPreview['request']> }) {
  const lines = headers.map(({ name, value }) => `${name}: ${value}`).join('\n');
  return (
    <>
      <JsonBlock label={t.address} value={`${method} ${url}`} />
      <JsonBlock label={t.headers} value={maskedHeaders(lines)} />
      {body !== null && <JsonBlock label={t.body} value={body} />}
    </>
  );
}

function MailShown({ mail: { to, cc, bcc, subject, body } }: { mail: NonNullable<TestPreview['mail']> }) {
  const lines = [`To: ${to}`, cc && `Cc: ${cc}`, bcc && `Bcc: ${bcc}`, `Subject: ${subject}`, '', body];
  return <JsonBlock label={t.mail} value={lines.filter((line, at) => line !== '' || at === 4).join('\n')} />;
}

export function Preview({ data, error, isMissing }: PreviewProps) {
  return (
    <section className="form-section" aria-label={t.title}>
      <h3>{t.title}</h3>
      {isMissing ? (
        <p className="faint">{t.missing}</p>
      ) : error ? (
        <p className="notice error">{failureText(error)}</p>
      ) : data ? (
        <>
          {data.unfilled.length > 0 && (
            <p className="notice" role="status">
              {t.unfilled(data.unfilled)}
            </p>
          )}
          {data.problem && (
            <p className="notice" role="status">
              {t.problem(data.problem)}
            </p>
          )}
          {data.request && <RequestShown request={data.request} />}
          {data.mail && <MailShown mail={data.mail} />}
          {!data.request && !data.mail && data.parameters.length > 0 && (
            <JsonBlock label={t.parameters} value={data.parameters.map(({ name, value }) => `${name}: ${value}`).join('\n')} />
          )}
          {!data.request && !data.mail && data.parameters.length === 0 && !data.problem && <p className="faint">{t.nothing}</p>}
        </>
      ) : (
        <Skeleton width="60%" />
      )}
    </section>
  );
}
