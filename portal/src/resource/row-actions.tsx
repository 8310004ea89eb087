import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { auditTexts } from '@cloudfit/contract/messages/audit.en.ts';
import { IconButton } from '../components/button.tsx';
import { confirm } from '../components/overlay/confirm.tsx';
import { MenuButton } from '../components/overlay/menu-button.tsx';
import { toastFailure } from '../hooks/toast-failure.ts';
import { useMay } from '../api/lookups.ts';
import { tellOfRow } from '../hooks/tell-of-row.ts';
import { useRemove } from '../rows/use-rows.ts';
import { useHistory } from '../hooks/use-history.ts';
import { offers, type RowTools, type View } from './view.ts';
import type { MenuEntry } from '../components/overlay/floating-props.ts';
import { keyOf, titleOf } from '../rows/row.ts';

interface RowActionsProps<R extends Resource, Item extends ExpandItem<R>> {
  view: View<R, Item>;
  row: NoInfer<ExpandedRow<R, Item>>;
  onEdit: () => void;
}

/** Edit as a button, the other actions of a row in a menu. Only actions that the person may do. */
export function RowActions<R extends Resource, Item extends ExpandItem<R>>({ view, row, onEdit }: RowActionsProps<R, Item>) {
  const { resource, texts } = view;
  const allowed = useMay();
  const removeRow = useRemove(resource);
  const may: RowTools['may'] = (verb) => allowed(resource.area, verb);
  const name = titleOf(resource, row);
  const remove = async () => {
    const answer = await confirm({
      title: texts.delete ?? en.form.deleteTitle(resource.label),
      text: texts.deleteQuestion?.(row) ?? en.form.deleteQuestion(name),
      details: view.impact?.(row, 'delete'),
      yes: en.common.delete,
      no: en.common.cancel,
      danger: true,
    });
    if (!answer.yes) return;
    try {
      await removeRow(keyOf(resource, row));
      tellOfRow(row, texts.deleted?.(row) ?? en.form.deleted(name));
    } catch (error) {
      console.warn(error);
      toastFailure(error, texts.deleteFailed?.(row, error) ?? en.failure.delete(name));
    }
  };
  const history = useHistory(resource.name, keyOf(resource, row));
  const entries: MenuEntry[] = [
    ...(view.actions?.(row, { may }) ?? []),
    ...(history ? [{ id: 'history', label: auditTexts.ofRow, icon: 'pending' as const, run: history.open }] : []),
    ...(offers(view, 'delete', row) && may('delete')
      ? [{ id: 'delete', label: texts.delete ?? en.common.delete, icon: 'trash' as const, danger: true, run: () => void remove() }]
      : []),
  ];
  const canEdit = offers(view, 'update', row) && may('edit');
  return (
    <span className="row-actions">
      {canEdit && (
        <IconButton
          small
          className="edit"
          icon="edit"
          label={`${texts.edit ?? en.common.edit} ${name}`}
          title={texts.edit ?? en.common.edit}
          onClick={onEdit}
        />
      )}
      {entries.length > 0 && <MenuButton small look="quiet" icon="more" label={en.common.rowActions(name)} entries={entries} />}
    </span>
  );
}
