import { useMemo } from 'react';
import { ListPage } from '../../resource/list-page.tsx';
import { ProtocolActionsPanel } from './protocol-actions-panel.tsx';
import { protocolsView } from './protocols.view.tsx';
import { useActionsOf } from './use-actions-of.ts';

/** The list is rendered last, so that the panel of a protocol covers the panel of its actions. */
export function ProtocolsPage() {
  const { protocolId, open, close } = useActionsOf();
  const view = useMemo(() => protocolsView(open), [open]);
  return (
    <>
      {protocolId && <ProtocolActionsPanel key={protocolId} protocolId={protocolId} onClose={close} />}
      <ListPage view={view} />
    </>
  );
}
