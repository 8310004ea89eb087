/** Creates or edits a protocol with its steps. */
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { SidePanel } from '../../../components/side-panel.tsx';
import { newId } from '../../../hooks/use-panel.ts';
import type { PanelProps } from '../../../resource/view.ts';
import { MissingRow } from '../../../rows/missing-row.tsx';
import { useRow } from '../../../rows/use-rows.ts';
import { useScope } from '../../../rows/use-scope.ts';
import { useProtocolActions } from '../use-protocol-actions.ts';
import { ProtocolEditor, type ProtocolRow } from './protocol-editor.tsx';
import { Loaded } from '../../../calls/loaded.tsx';

function WithSteps({ row, onClose }: { row: ProtocolRow; onClose: () => void }) {
  const steps = useProtocolActions(row.protocolId);
  if (steps.data) return <ProtocolEditor row={row} rows={steps.data.rows} onClose={onClose} />;
  return (
    <SidePanel wide title={row.name} onClose={onClose}>
      <div className="body">
        <Loaded query={steps} small={false} failed={protocolTexts.actions.failed}>
          {() => undefined}
        </Loaded>
      </div>
    </SidePanel>
  );
}

export function ProtocolEditorPanel({ id, row: listed, onClose }: PanelProps<ProtocolRow>) {
  const isNew = id === newId;
  const { isKnown } = useScope();
  const { data: row, error, refetch } = useRow(protocols, id, { expand: ['tenant'], listed, enabled: !isNew });
  if (isNew && isKnown) return <ProtocolEditor row={undefined} rows={[]} onClose={onClose} />;
  if (row) return <WithSteps row={row} onClose={onClose} />;
  return <MissingRow label={protocols.label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
}
