/** The results of the latest runs of an action. */
import { actionCatalogTexts } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { EmptyState } from '../../components/states.tsx';
import { ExecutionItem, type Execution } from '../../entities/executions/execution-item.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { maxHistory, useActionHistory, type ActionDefinition } from './use-action.ts';

const t = actionCatalogTexts.history;

/** Returns what the action ran for: a test, a rule, or a work unit. */
function causeOf({ workUnitId, workUnit, resultDetail }: Execution): string {
  if (resultDetail !== null && typeof resultDetail === 'object' && 'test' in resultDetail) return t.test;
  if (workUnitId === null) return t.rule;
  return workUnit ? t.workUnit(workUnit.publicWorkUnitId) : t.someUnit;
}

export function ActionHistory({ row }: { row: ActionDefinition }) {
  const { tenantId } = useScope();
  const history = useActionHistory(row.actionDefinitionId, tenantId);
  return (
    <Loaded query={history} failed={t.failed} empty={<EmptyState small icon="actions" title={t.none} text={t.noneText} />}>
      {(executions) => (
        <section className="form-section" aria-label={t.list}>
          <h3>{executions.length === maxHistory ? t.latest(maxHistory) : t.list}</h3>
          {executions.map((execution) => (
            <ExecutionItem key={execution.actionHistoryId} execution={execution} title={causeOf(execution)} />
          ))}
        </section>
      )}
    </Loaded>
  );
}
