/** The manual actions that are pending in the unit's state: run, reject, run again. */
import { useState } from 'react';
import { workUnitEventTypes } from '@cloudfit/contract/enums.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { failureText } from '../../../api/client.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { useMay } from '../../../api/lookups.ts';
import { Chip, type Tone } from '../../../components/chips.tsx';
import { TextField } from '../../../components/fields/text-field.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { EmptyState } from '../../../components/states.tsx';
import { executionTexts } from '@cloudfit/contract/messages/executions.en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { Tries } from '../../../entities/executions/tries.tsx';
import { TryButtons } from '../../../entities/executions/try-buttons.tsx';
import { PendingButtons } from './pending-buttons.tsx';
import {
  headingOf,
  parametersOf,
  usePendingActions,
  type Parameters,
  type PendingAction,
  type PendingStatus,
} from './use-pending-actions.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import './pending-actions.css';

const t = workUnitPanelTexts.pending;
const tones: Record<PendingStatus, Tone> = {
  waiting: 'warn',
  running: 'info',
  trying: 'warn',
  kept: 'warn',
  success: 'ok',
  failure: 'danger',
  stopped: 'plain',
  rejected: 'plain',
};

/** The message of the receiver or the server about the latest execution, in a line. */
function outcomeText(detail: unknown): string {
  if (detail === null || typeof detail !== 'object') return '';
  const { error, message, reason, status } = detail as Record<string, unknown>;
  const words = [error, message, reason].find((part) => typeof part === 'string');
  return [typeof status === 'number' ? String(status) : '', typeof words === 'string' ? words : ''].filter(Boolean).join(' · ');
}

function ParameterFields({
  action,
  values,
  readOnly,
  onChange,
}: {
  action: PendingAction;
  values: Parameters;
  readOnly: boolean;
  onChange: (values: Parameters) => void;
}) {
  const names = Object.keys(values);
  if (names.length === 0) return null;
  return (
    <details className="parameters">
      <summary>
        {t.parameters} <span className="badge">{names.length}</span>
      </summary>
      <div className="form-grid">
        {names.map((name) => (
          <TextField
            key={name}
            label={name}
            wide={(values[name] ?? '').length > 60}
            name={`${action.protocolActionId}-${name}`}
            value={values[name] ?? ''}
            readOnly={readOnly}
            onChange={(next) => onChange({ ...values, [name]: next })}
          />
        ))}
      </div>
    </details>
  );
}

function TriesOnDemand({ actionHistoryId }: { actionHistoryId: number }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="parameters" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{executionTexts.tries.title}</summary>
      {isOpen && <Tries actionHistoryId={actionHistoryId} />}
    </details>
  );
}

function ActionCard({ unit, action, mayEdit }: { unit: PanelWorkUnit; action: PendingAction; mayEdit: boolean }) {
  const actionParameters = parametersOf(action);
  const [typed, setTyped] = useState<Parameters>({});
  const [failure, setFailure] = useState<Error | null>(null);
  const event = choiceText(workUnitEventTypes.find(({ value }) => value === action.workUnitEventTypeId)?.label ?? '');
  const { status, actionHistoryId, nextTry } = action;
  const isAmber = status === 'kept' || status === 'trying';
  const outcome = isAmber || status === 'failure' ? outcomeText(action.resultDetail) : '';
  const titleId = `pending-${action.protocolActionId}`;
  return (
    <li className="pending" aria-labelledby={titleId}>
      <div className="row">
        <b id={titleId}>{headingOf(action)}</b>
        <Chip tone={tones[action.status]} dot>
          {t.status[action.status]}
        </Chip>
        <span className="grow" />
        {action.actionProcessed && <RelativeTime value={action.actionProcessed} />}
      </div>
      <p className="muted">
        {[action.summary ? action.name : '', event, action.repeatable ? t.repeatable : ''].filter(Boolean).join(' · ')}
      </p>
      {action.description && <p className="muted">{action.description}</p>}
      {outcome && <p className={isAmber ? 'outcome amber' : 'outcome'}>{outcome}</p>}
      {isAmber && actionHistoryId && (
        <TryButtons actionHistoryId={actionHistoryId} name={headingOf(action)} nextTry={nextTry} mayEdit={mayEdit} />
      )}
      {actionHistoryId && <TriesOnDemand actionHistoryId={actionHistoryId} />}
      {(action.mayRun || Object.keys(actionParameters).length > 0) && (
        <ParameterFields
          action={action}
          values={{ ...actionParameters, ...typed }}
          readOnly={!mayEdit || !action.mayRun}
          onChange={setTyped}
        />
      )}
      {failure && (
        <p className="outcome" role="alert">
          {failureText(failure)}
        </p>
      )}
      {mayEdit && (
        <PendingButtons
          unit={unit}
          action={action}
          parameters={Object.fromEntries(Object.entries(typed).filter(([name, value]) => value !== actionParameters[name]))}
          onOutcome={setFailure}
        />
      )}
    </li>
  );
}

export function PendingActions({ unit }: { unit: PanelWorkUnit }) {
  const { data, error, refetch } = usePendingActions(unit.workUnitId);
  const mayEdit = useMay()('WorkUnits', 'edit');
  return (
    <Loaded
      query={{ data: data?.value, error, refetch }}
      failed={t.failed}
      empty={
        <EmptyState small title={t.none} text={unit.protocolId ? t.noneText(choiceText(unit.stateId)) : t.noProtocol} icon="actions" />
      }
    >
      {(actions) => (
        <ul className="pending-list" aria-label={workUnitTexts.tabs.pending}>
          {actions.map((action) => (
            <ActionCard key={action.protocolActionId} unit={unit} action={action} mayEdit={mayEdit} />
          ))}
        </ul>
      )}
    </Loaded>
  );
}
