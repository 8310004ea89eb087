/** The page of one execution: its state, its tries with requests and answers, and its actions. */
import { Link, useParams } from 'react-router';
import { eq } from '@cloudfit/contract/query/build.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { activityTexts } from '@cloudfit/contract/messages/activity.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { useMay } from '../../api/lookups.ts';
import { CopyLink } from '../../components/copy-link.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { matchAddress, unitAddress } from '../../entities/explanations/addresses.ts';
import { ExecutionItem, isOfMatch, type Execution } from '../../entities/executions/execution-item.tsx';
import { ReplayButton } from '../../entities/executions/replay-button.tsx';
import { useList } from '../../rows/use-rows.ts';
import { LoadFailure } from '../../rows/load-failure.tsx';
import './activity.css';

const t = activityTexts.execution;
const pollMs = 5_000;

const isFinished = ({ resultStatusId }: Execution) =>
  resultStatusId !== resultStatus.enqueueSuccess && resultStatusId !== resultStatus.unknown;

function Causes({ execution, tenantId }: { execution: Execution; tenantId: string }) {
  const { workUnit, referenceId, actionDefinitionId, actionDefinition } = execution;
  return (
    <p className="row execution-causes">
      <Link to={`/actioncatalog?id=${actionDefinitionId}`}>{actionDefinition?.name ?? t.action}</Link>
      {workUnit && <Link to={unitAddress(workUnit.workUnitId)}>{t.unit(workUnit.publicWorkUnitId, workUnit.title)}</Link>}
      {isOfMatch(execution) && <Link to={matchAddress(tenantId, referenceId ?? '')}>{t.cause}</Link>}
    </p>
  );
}

function ExecutionOf({ messageId, tenantId }: { messageId: string; tenantId: string }) {
  const seesUnits = useMay()('WorkUnits', 'view');
  const query = useList(
    actionHistories,
    {
      filter: eq(actionHistories, 'messageId', messageId),
      // An expansion needs the right to view its rows.
      expand: seesUnits ? (['actionDefinition', 'workUnit'] as const) : (['actionDefinition'] as const),
      top: 1,
    },
    { pollMs },
  );
  const execution: Execution | undefined = query.data?.rows[0];
  const name = execution?.actionDefinition?.name ?? t.action;
  if (query.error && !query.data) return <LoadFailure query={query} failed={t.failed} />;
  if (query.data && !execution) return <ErrorState title={t.notFound} />;
  return (
    <div className="activity-page">
      <div className="row">
        <h2 className="grow">{execution ? t.of(name) : <Skeleton width="40%" />}</h2>
        {execution && isFinished(execution) && <ReplayButton actionHistoryId={execution.actionHistoryId} name={name} />}
        <CopyLink />
      </div>
      {execution && (
        <>
          <Causes execution={execution} tenantId={tenantId} />
          <ExecutionItem key={execution.actionHistoryId} execution={execution} title={name} open isPage />
        </>
      )}
    </div>
  );
}

export function ExecutionPage() {
  const { id = '', tenantId = '' } = useParams();
  const mayView = useMay()('ActionDefinitions', 'view');
  usePageTitle(t.title);
  if (!mayView) return <ErrorState title={en.auth.deniedTitle} text={t.forbidden} />;
  return <ExecutionOf messageId={id.toLowerCase()} tenantId={tenantId} />;
}
