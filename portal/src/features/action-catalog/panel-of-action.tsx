import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useRow } from '../../resource/use-rows.ts';
import type { ActionDefinition } from './use-action.ts';

interface PanelOfActionProps {
  id: string;
  onClose: () => void;
  children: (action: ActionDefinition) => ReactNode;
}

/** Loads the action that a panel is about, and says why there is none. */
export function PanelOfAction({ id, onClose, children }: PanelOfActionProps) {
  const { label } = actionDefinitions;
  const { data, error, refetch } = useRow<ActionDefinition>(actionDefinitions, id, { expand: 'tenant' });
  if (data) return children(data);
  const isGone = error instanceof RequestFailed && error.status === 404;
  return (
    <SidePanel title={label} onClose={onClose}>
      <div className="body">
        {error ? (
          <ErrorState
            title={isGone ? en.failure.rowGone(label) : en.failure.row(label)}
            text={isGone ? undefined : failureText(error)}
            onRetry={isGone ? undefined : () => void refetch()}
          />
        ) : (
          <Skeleton width="60%" />
        )}
      </div>
    </SidePanel>
  );
}
