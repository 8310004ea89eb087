/** The actions of one protocol: what happens on which event of its work units. */
import { en } from '@cloudfit/contract/messages/en.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { protocolActions } from '@cloudfit/contract/resources/protocol-actions.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { useMay } from '../../api/lookups.ts';
import { removeRow } from '../../api/row-calls.ts';
import { command } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { EmptyState } from '../../components/states.tsx';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { useRow } from '../../rows/use-rows.ts';
import { FindLine } from './find-line.tsx';
import { protocolActionColumns } from './protocol-action-columns.tsx';
import { ProtocolActionPanel } from './protocol-action-panel.tsx';
import { matchesSearch, protocolActionParam, useActionsOf } from './use-actions-of.ts';
import { nameOf, useProtocolActions, type ProtocolAction } from './use-protocol-actions.ts';
import { LoadFailure } from '../../rows/load-failure.tsx';
import './protocols.css';

const t = protocolTexts.actions;
const area = protocolActions.area;

/** Asks for confirmation and deletes (PACT-012). */
const remove = command((action: ProtocolAction) => removeRow(protocolActions, action.protocolActionId), {
  confirm: (action) => ({
    title: en.form.deleteTitle(protocolActions.label),
    text: en.form.deleteQuestion(nameOf(action)),
    yes: en.common.delete,
    danger: true,
  }),
  done: (_, action) => t.removed(nameOf(action)),
  failed: (action) => t.removeFailed(nameOf(action)),
  refreshes: [protocolActions.name],
});

export function ProtocolActionsPanel({ protocolId, onClose }: { protocolId: string; onClose: () => void }) {
  const may = useMay();
  const { find, look } = useActionsOf();
  const { id, open, close } = usePanel(protocolActionParam);
  const protocol = useRow(protocols, protocolId);
  const list = useProtocolActions(protocolId);
  const all = list.data?.rows ?? [];
  const rows = all.filter((action) => matchesSearch(find, action.actionDefinition?.name, action.summary));
  const error = protocol.error ?? list.error;
  const refetch = () => Promise.all([protocol.refetch(), list.refetch()]);
  const columns = protocolActionColumns({
    open: (action) => open(action.protocolActionId),
    mayEdit: may(area, 'edit'),
    remove: may(area, 'delete') ? (action) => void remove(action) : undefined,
  });

  return (
    <>
      <SidePanel
        title={protocol.data ? t.titleOf(protocol.data.name) : t.title}
        onClose={onClose}
        meta={<CopyId id={protocolId} label={protocols.fields.protocolId.label} />}
        footer={
          <>
            {may(area, 'create') && protocol.data && (
              <Button look="primary" icon="plus" onClick={() => open(newId)}>
                {t.create}
              </Button>
            )}
            <Button onClick={onClose}>{en.common.close}</Button>
          </>
        }
      >
        <div className="body">
          {error ? (
            <LoadFailure query={{ error, refetch }} failed={t.failed} missing={t.notFound} />
          ) : list.data && all.length === 0 ? (
            <EmptyState icon="actions" title={t.none} text={t.noneText} />
          ) : (
            <>
              <FindLine find={find} onChange={look} />
              <div className="framed-table">
                <DataTable
                  label={t.title}
                  columns={columns}
                  rows={rows}
                  rowKey={(action) => action.protocolActionId}
                  rowName={nameOf}
                  openKey={id ?? undefined}
                  skeletonRows={list.data ? 0 : 4}
                />
                {list.data && rows.length === 0 && <EmptyState small title={t.noMatch} />}
              </div>
            </>
          )}
        </div>
      </SidePanel>
      {id && protocol.data && (
        <ProtocolActionPanel
          key={id}
          id={id}
          protocolId={protocolId}
          tenantId={protocol.data.tenantId}
          listed={all.find((action) => action.protocolActionId === id)}
          onClose={() => close()}
        />
      )}
    </>
  );
}
