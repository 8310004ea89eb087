/** Lists the protocols and rules that use an action, and deletes the action after a confirmation (ACT-026..028). */
import { Link } from 'react-router';
import { actionCatalogTexts } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { removeRow } from '../../api/row-calls.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { PanelOfAction } from './panel-of-action.tsx';
import { useProtocolsOf, useRulesOf, type ActionDefinition } from './use-action.ts';

const t = actionCatalogTexts.remove;
type UseKind = 'protocols' | 'rules';

function useBoth(actionDefinitionId: string) {
  const may = useMay();
  const visible = { protocols: may('WorkUnits.Protocols', 'view'), rules: may('Rules', 'view') };
  const protocols = useProtocolsOf(actionDefinitionId, visible.protocols);
  const rules = useRulesOf(actionDefinitionId, visible.rules);
  const lists = { protocols, rules };
  const isKnown = (kind: UseKind) => !visible[kind] || lists[kind].data !== undefined;
  return {
    seen: visible,
    lists,
    isKnown: isKnown('protocols') && isKnown('rules'),
    count: (protocols.data?.count ?? 0) + (rules.data?.count ?? 0),
    error: protocols.error ?? rules.error,
    retry: () => void Promise.all([visible.protocols && protocols.refetch(), visible.rules && rules.refetch()]),
  };
}

function UseList({ kind, uses }: { kind: UseKind; uses: ReturnType<typeof useBoth> }) {
  const { tenantId } = useScope();
  const { data } = uses.lists[kind];
  const place = tenantId ? `/${tenantId}/${kind}` : `/${kind}`;
  return (
    <section className="form-section" aria-label={t[kind]}>
      <h3>{t[kind]}</h3>
      {!uses.seen[kind] && <p className="faint">{t.denied[kind]}</p>}
      {uses.seen[kind] && !data && <Skeleton width="50%" />}
      {data?.count === 0 && <p className="faint">{t.none[kind]}</p>}
      {data && data.count > 0 && (
        <ul className="action-uses">
          {data.rows.map((row) => (
            <li key={row.id}>
              <Link to={`${place}?id=${row.id}`}>{row.name}</Link>
            </li>
          ))}
          {data.count > data.rows.length && <li className="faint">{t.more(data.count - data.rows.length)}</li>}
        </ul>
      )}
    </section>
  );
}

function Delete({ action, onClose }: { action: ActionDefinition; onClose: () => void }) {
  const uses = useBoth(action.actionDefinitionId);
  const mayDelete = useMay()('ActionDefinitions', 'delete');
  const { run, isBusy } = useCommand(() => removeRow(actionDefinitions, action.actionDefinitionId), {
    confirm: () => ({ title: t.title, text: t.question(action.name), yes: en.common.delete, danger: true }),
    done: (answer) => answer?.message ?? t.deleted,
    refreshes: [actionDefinitions.name],
  });
  const remove = async () => {
    if (await run(undefined)) onClose();
  };
  const isUsed = uses.count > 0;
  return (
    <SidePanel
      title={t.titleOf(action.name)}
      onClose={onClose}
      footer={
        <>
          {mayDelete && (
            <Button look="danger" icon="trash" disabled={!uses.isKnown || isUsed || isBusy} onClick={() => void remove()}>
              {en.common.delete}
            </Button>
          )}
          <Button onClick={onClose}>{en.common.cancel}</Button>
        </>
      }
    >
      <div className="body">
        {uses.error && !uses.isKnown ? (
          <ErrorState title={t.failed} text={failureText(uses.error)} onRetry={uses.retry} />
        ) : (
          <>
            {uses.isKnown && <p className={isUsed ? 'notice' : 'muted use-line'}>{isUsed ? t.used : t.unused}</p>}
            <UseList kind="protocols" uses={uses} />
            <UseList kind="rules" uses={uses} />
          </>
        )}
      </div>
    </SidePanel>
  );
}

export function DeletePanel({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <PanelOfAction id={id} onClose={onClose}>
      {(action) => <Delete action={action} onClose={onClose} />}
    </PanelOfAction>
  );
}
