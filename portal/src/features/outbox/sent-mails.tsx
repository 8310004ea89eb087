/** The mails that actions sent or tried to send, each with its state. A mail whose execution has ended can be sent again. */
import { Link } from 'react-router';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { outboxTexts as t } from '@cloudfit/contract/messages/outbox.en.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { executionAddress } from '../../entities/explanations/addresses.ts';
import { ExecutionItem, type Execution } from '../../entities/executions/execution-item.tsx';
import { ReplayButton } from '../../entities/executions/replay-button.tsx';
import { useList } from '../../rows/use-rows.ts';

const maxMails = 100;
const pollMs = 15_000;

/** The recipients after placeholders were filled, or else as the action defines them. */
function recipientsOf({ resultDetail, inputParameters }: Execution): string {
  const { recipients } = (resultDetail ?? {}) as { recipients?: unknown };
  if (typeof recipients === 'string') return recipients;
  try {
    const { To } = JSON.parse(inputParameters) as { To?: unknown };
    return typeof To === 'string' && To !== '' ? To : t.unknown;
  } catch {
    return t.unknown;
  }
}

export function SentMails({ tenantId }: { tenantId: string }) {
  const mayView = useMay()('ActionDefinitions', 'view');
  const { data, error, refetch } = useList(
    actionHistories,
    {
      filter: and(eq(actionHistories, 'tenantId', tenantId), eq(actionHistories, 'actionDefinitionId', builtInAction.email)),
      orderBy: 'actionProcessed desc',
      top: maxMails,
    },
    { enabled: mayView, pollMs },
  );
  if (!mayView) return <ErrorState title={t.forbidden} />;
  if (error && !data) return <ErrorState title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width="60%" />;
  if (data.rows.length === 0) return <EmptyState icon="mail" title={t.noneSent} />;
  return (
    <div className="sent-mails">
      {data.rows.map((execution) => (
        <div key={execution.actionHistoryId} className="sent-mail">
          <ExecutionItem execution={execution} title={recipientsOf(execution)} />
          {execution.resultStatusId === resultStatus.enqueueSuccess ? (
            <Link className="btn small" to={executionAddress(tenantId, execution.messageId)}>
              {t.open}
            </Link>
          ) : (
            <ReplayButton actionHistoryId={execution.actionHistoryId} name={recipientsOf(execution)} />
          )}
        </div>
      ))}
      {data.rows.length === maxMails && <p className="faint">{t.latest(maxMails)}</p>}
    </div>
  );
}
