/** Lists the protocols and rules that use an action, and deletes the action after a confirmation (ACT-026..028). */
import { useState } from 'react';
import { Link } from 'react-router';
import { actionCatalogTexts } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/overlay/confirm.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useScope } from '../../rows/use-scope.ts';
import { PanelOfAction } from './panel-of-action.tsx';
import { useDeleteAction, useUses, type ActionDefinition, type UseKind } from './use-action.ts';

const t = actionCatalogTexts.remove;

function useBoth(actionDefinitionId: string) {
  const may = useMay();
  const visible = { protocols: may('WorkUnits.Protocols', 'view'), rules: may('Rules', 'view') };
  const protocols = useUses('protocols', actionDefinitionId, visible.protocols);
  const rules = useUses('rules', actionDefinitionId, visible.rules);
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
  const deleteAction = useDeleteAction();
  const mayDelete = useMay()('ActionDefinitions', 'delete');
  const [isDeleting, setDeleting] = useState(false);
  const remove = async () => {
    const answer = await confirm({
      title: t.title,
      text: t.question(action.name),
      yes: en.common.delete,
      no: en.common.cancel,
      danger: true,
    });
    if (!answer.yes) return;
    setDeleting(true);
    try {
      const message = await deleteAction(action.actionDefinitionId);
      toast.success(message ?? t.deleted);
      onClose();
    } catch (error) {
      toastFailure(error);
      setDeleting(false);
    }
  };
  const isUsed = uses.count > 0;
  return (
    <SidePanel
      title={t.titleOf(action.name)}
      onClose={onClose}
      footer={
        <>
          {mayDelete && (
            <Button look="danger" icon="trash" disabled={!uses.isKnown || isUsed || isDeleting} onClick={() => void remove()}>
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
