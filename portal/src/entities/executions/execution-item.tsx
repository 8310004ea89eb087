/** One execution: a line with its outcome; opened, also its tries and its other details. */
import { useState } from 'react';
import { Link } from 'react-router';
import { executionTexts as t } from '@cloudfit/contract/messages/executions.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { Chip } from '../../components/chips.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { ReadOnlyField } from '../../components/read-only-field.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useMay } from '../../api/lookups.ts';
import { executionAddress, matchAddress, unitAddress } from '../explanations/addresses.ts';
import { WhyLink } from '../explanations/why-link.tsx';
import { executionState } from './execution-state.ts';
import { NextTry } from './next-try.tsx';
import { Tries } from './tries.tsx';
import { TryButtons } from './try-buttons.tsx';
import './execution-item.css';

export type Execution = Row<typeof actionHistories> & {
  actionDefinition?: { name: string } | null;
  workUnit?: { workUnitId: number; publicWorkUnitId: number; title: string } | null;
};

/** Whether a match of a rule caused the execution; otherwise a work unit or a test did. */
export const isOfMatch = ({ workUnitId, referenceId }: Execution): boolean => workUnitId === null && referenceId !== null;

/** How long executions are cached (ACT-055). */
export const executionsKeptMs = 5_000;

interface ExecutionItemProps {
  execution: Execution;
  /** The text that distinguishes the execution from other executions in the list. */
  title: string;
  open?: boolean;
  /** Whether the item is on the page of the execution, which has the links already. */
  isPage?: boolean;
}

export function ExecutionItem({ execution, title, open = false, isPage = false }: ExecutionItemProps) {
  const { label, tone, words } = executionState(execution);
  const may = useMay();
  const [isOpen, setIsOpen] = useState(open);
  const { actionHistoryId, nextTry, keptSince, workUnitId, tenantId } = execution;
  const mayEdit = may('ActionDefinitions', 'edit') || (workUnitId !== null && may('WorkUnits', 'edit'));
  return (
    <details className="execution" open={open} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <Chip tone={tone} dot>
          {label}
        </Chip>
        <b className="ellipsis">{title}</b>
        <span className="grow ellipsis muted" title={words}>
          {words}
        </span>
        {nextTry ? <NextTry at={nextTry} /> : <RelativeTime value={execution.actionProcessed} />}
      </summary>
      {!isPage && (
        <p className="row execution-links">
          <Link to={executionAddress(tenantId, execution.messageId)}>{t.page}</Link>
          {execution.workUnit && <Link to={unitAddress(execution.workUnit.workUnitId)}>{t.unit(execution.workUnit.publicWorkUnitId)}</Link>}
          {isOfMatch(execution) && <WhyLink to={matchAddress(tenantId, execution.referenceId ?? '')} of={title} />}
        </p>
      )}
      {(nextTry || keptSince) && <TryButtons actionHistoryId={actionHistoryId} name={title} nextTry={nextTry} mayEdit={mayEdit} />}
      {isOpen && <Tries actionHistoryId={actionHistoryId} />}
      <JsonBlock label={t.parameters} value={execution.inputParameters} />
      {execution.resultDetail !== null && <JsonBlock label={t.result} value={execution.resultDetail} />}
      <dl className="form-grid facts">
        <ReadOnlyField kind="text" label={t.message} value={execution.messageId} />
        <ReadOnlyField kind="text" label={t.correlation} value={execution.correlationId} />
        {execution.referenceId && <ReadOnlyField kind="text" label={t.reference} value={execution.referenceId} />}
      </dl>
    </details>
  );
}
