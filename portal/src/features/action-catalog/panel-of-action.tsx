import type { ReactNode } from 'react';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { MissingRow } from '../../rows/missing-row.tsx';
import { useRow } from '../../rows/use-rows.ts';
import type { ActionDefinition } from './use-action.ts';

interface PanelOfActionProps {
  id: string;
  onClose: () => void;
  children: (action: ActionDefinition) => ReactNode;
}

/** Loads the action of a panel. If it cannot be read, shows the reason instead. */
export function PanelOfAction({ id, onClose, children }: PanelOfActionProps) {
  const { label } = actionDefinitions;
  const { data, error, refetch } = useRow(actionDefinitions, id, { expand: ['tenant'] });
  if (data) return children(data);
  return <MissingRow label={label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
}
