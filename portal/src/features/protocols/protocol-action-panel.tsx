/** Creates or edits one action of a protocol: its event, its action, and the parameters that the action names. */
import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { newId } from '../../resource/use-panel.ts';
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
