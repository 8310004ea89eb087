/** A menu of predefined actions for external services: adds the chosen action to the tenant, and opens it. */
import { actionCatalogTexts as t } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { readyActions, type ReadyAction } from '@cloudfit/contract/protocols/ready-actions.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { toast } from '../../components/toasts.tsx';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { useSave } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';

/** The action type of protocols. Predefined actions have it, because their texts name fields of work units. */
const protocolType = 2;

export function ReadyActions() {
  const may = useMay();
  const { tenantId } = useScope();
  const { open } = usePanel();
  const save = useSave(actionDefinitions);
  if (!may(actionDefinitions.area, 'create')) return null;
  const add = async ({ id: _id, ...fields }: ReadyAction) => {
    try {
      const row = await save.mutateAsync({ id: undefined, values: { ...fields, actionDefinitionTypeId: protocolType, tenantId } });
      tellOfRow(row, t.ready.added(row.name));
      open(row.actionDefinitionId);
    } catch (error) {
      toast.error(failureText(error));
    }
  };
  return (
    <MenuButton
      label={t.ready.menu}
      entries={readyActions.map((ready) => ({ id: ready.id, label: ready.name, icon: 'actions' as const, run: () => void add(ready) }))}
    />
  );
}
