/** The published versions of an article: who, when, what each changed, and its whole text. */
import { useState } from 'react';
import { and, compare, eq } from '@cloudfit/contract/query/build.ts';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { knowledgeArticleVersions } from '@cloudfit/contract/resources/knowledge-articles.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { failureText } from '../../api/client.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ArticleText } from '../../entities/articles/article-text.tsx';
import { PersonName } from '../../rows/person-name.tsx';
import { useList } from '../../rows/use-rows.ts';
import { lineDifference } from './line-difference.ts';

type Version = Row<typeof knowledgeArticleVersions>;

const maxShown = 100;
const whole = ({ title, body }: Version) => `# ${title}\n\n${body}`;

function Difference({ version, before }: { version: Version; before: Version | undefined }) {
  if (!before) return <p className="muted">{t.firstVersion}</p>;
  const lines = lineDifference(whole(before), whole(version));
  if (lines.every(({ kind }) => kind === 'same')) return <p className="muted">{t.sameText}</p>;
  return (
    <pre className="article-difference" tabIndex={0} aria-label={t.difference(version.number)}>
      {lines.map(({ kind, text }, at) => (
        <span key={at} className={kind}>
          <b aria-hidden>{kind === 'added' ? '+' : kind === 'removed' ? '−' : ' '}</b>
          {kind !== 'same' && <span className="visually-hidden">{kind === 'added' ? t.added : t.removed}: </span>}
          {text || ' '}
        </span>
      ))}
    </pre>
  );
}

/** `latest`: the number of the newest version, with which the list is read again. */
export function ArticleVersions({ articleId, latest }: { articleId: string; latest: number }) {
  const [shown, setShown] = useState<{ number: number; whole: boolean }>();
  const { data, error, refetch } = useList(knowledgeArticleVersions, {
    filter: and(eq(knowledgeArticleVersions, 'knowledgeArticleId', articleId), compare(knowledgeArticleVersions, 'number', 'le', latest)),
    orderBy: 'number desc',
    top: maxShown,
  });
  if (error) return <ErrorState small title={t.versionsFailed} text={failureText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width="60%" />;
  if (data.rows.length === 0) return <p className="muted">{t.noVersions}</p>;
  const toggle = (number: number, isWhole: boolean) =>
    setShown(shown?.number === number && shown.whole === isWhole ? undefined : { number, whole: isWhole });
  return (
    <ol className="article-versions">
      {data.rows.map((version, at) => {
        const { number, published, publishedBy } = version;
        const isShown = (isWhole: boolean) => shown?.number === number && shown.whole === isWhole;
        return (
          <li key={number}>
            <div className="row">
              <b>{t.version(number)}</b>
              <span className="muted">
                <PersonName userName={publishedBy} />
              </span>
              <RelativeTime plain value={published} />
              <span className="grow" />
              <button type="button" className="link" aria-expanded={isShown(false)} onClick={() => toggle(number, false)}>
                {t.difference(number)}
              </button>
              <button type="button" className="link" aria-expanded={isShown(true)} onClick={() => toggle(number, true)}>
                {t.shows(number)}
              </button>
            </div>
            {isShown(false) && <Difference version={version} before={data.rows[at + 1]} />}
            {isShown(true) && (
              <div className="body-preview">
                <h3>{version.title}</h3>
                <ArticleText text={version.body} heading="h4" />
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}
