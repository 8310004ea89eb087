/** Creates or edits one action of a protocol: its event, its action, and the parameters that the action names. */
import { newId } from '../../resource/use-panel.ts';
import { MissingRow } from '../../resource/missing-row.tsx';
import { useRow } from '../../resource/use-rows.ts';
import { ProtocolActionForm } from './protocol-action-form.tsx';
import { protocolActionResource, type ProtocolAction } from './use-protocol-actions.ts';

interface ProtocolActionPanelProps {
  id: string;
  protocolId: string;
  /** The protocol's. */
  tenantId: string | null;
  /** As the grid has it. */
  known: ProtocolAction | undefined;
  onClose: () => void;
}

export function ProtocolActionPanel({ id, protocolId, tenantId, known, onClose }: ProtocolActionPanelProps) {
  const { label } = protocolActionResource;
  const isNew = id === newId;
  const { data, error, refetch } = useRow<ProtocolAction>(protocolActionResource, id, {
    expand: 'actionDefinition',
    known,
    enabled: !isNew,
  });
  if (isNew || data)
    return <ProtocolActionForm key={id} protocolId={protocolId} tenantId={tenantId} row={isNew ? undefined : data} onClose={onClose} />;
  return <MissingRow label={label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
}
