/** Creates or edits one action of a protocol: its event, its action, and the parameters that the action names. */
import { protocolActions } from '@cloudfit/contract/resources/protocol-actions.ts';
import { newId } from '../../hooks/use-panel.ts';
import { MissingRow } from '../../rows/missing-row.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { ProtocolActionForm } from './protocol-action-form.tsx';
import type { ProtocolAction } from './use-protocol-actions.ts';

interface ProtocolActionPanelProps {
  id: string;
  protocolId: string;
  /** The protocol's tenant. */
  tenantId: string | null;
  /** The row that the list has already loaded. */
  listed: ProtocolAction | undefined;
  onClose: () => void;
}

export function ProtocolActionPanel({ id, protocolId, tenantId, listed, onClose }: ProtocolActionPanelProps) {
  const { label } = protocolActions;
  const isNew = id === newId;
  const { data, error, refetch } = useRow(protocolActions, id, {
    expand: ['actionDefinition'],
    listed,
    enabled: !isNew,
  });
  if (isNew || data)
    return <ProtocolActionForm key={id} protocolId={protocolId} tenantId={tenantId} row={isNew ? undefined : data} onClose={onClose} />;
  return <MissingRow label={label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
}
