import { actionCatalogTexts } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Skeleton } from '../../components/states.tsx';
import { ExecutionItem } from '../../entities/executions/execution-item.tsx';
import { useOutcome } from './use-action.ts';

const t = actionCatalogTexts.test;

/** Shows the result of a test. `messageId`: the id that the server returned when the test started. */
export function TestOutcome({ messageId }: { messageId: string }) {
  const { data, error, refetch } = useOutcome(messageId);
  const waiting = (
    <p className="faint">
      {t.waiting} <Skeleton width={80} />
    </p>
  );
  return (
    <section className="form-section" aria-label={t.outcome} aria-live="polite">
      <h3>{t.outcome}</h3>
      {/* Null until the test has a history entry. */}
      <Loaded query={{ data: data ?? undefined, error, refetch }} failed={t.lookFailed} loading={waiting}>
        {(execution) => (
          <ExecutionItem key={execution.resultStatusId} execution={execution} title={execution.actionDefinition?.name ?? ''} open />
        )}
      </Loaded>
    </section>
  );
}
