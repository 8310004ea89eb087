import { actionCatalogTexts } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { failureText } from '../../api/client.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { ExecutionItem } from '../../entities/executions/execution-item.tsx';
import { useOutcome } from './use-action.ts';

const t = actionCatalogTexts.test;

/** Shows the result of a test. `messageId`: the id that the server returned when the test started. */
export function TestOutcome({ messageId }: { messageId: string }) {
  const { data, error, refetch } = useOutcome(messageId);
  return (
    <section className="form-section" aria-label={t.outcome} aria-live="polite">
      <h3>{t.outcome}</h3>
      {error && !data ? (
        <ErrorState small title={t.lookFailed} text={failureText(error)} onRetry={() => void refetch()} />
      ) : data ? (
        <ExecutionItem key={data.resultStatusId} execution={data} title={data.actionDefinition?.name ?? ''} open />
      ) : (
        <p className="faint">
          {t.waiting} <Skeleton width={80} />
        </p>
      )}
    </section>
  );
}
