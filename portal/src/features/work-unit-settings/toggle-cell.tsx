import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FieldName, Resource, Row, RowInput } from '@cloudfit/contract/resource.ts';
import { categoryTexts as t } from '@cloudfit/contract/messages/categories.en.ts';
import { answerMs } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { changeRow } from '../../api/row-calls.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { keyOf, titleOf } from '../../rows/row.ts';
import type { RowsPage } from '../../rows/use-rows.ts';

interface ToggleCellProps<R extends Resource> {
  resource: R;
  row: NoInfer<Row<R>>;
  /** The boolean field to toggle. */
  name: FieldName<R>;
  label: string;
  failed: string;
}

/** Toggles one field of a row in the list by an optimistic update, which a refusal of the server rolls back. */
export function ToggleCell<R extends Resource>({ resource, row, name, label, failed }: ToggleCellProps<R>) {
  const client = useQueryClient();
  const may = useMay();
  const key = keyOf(resource, row);
  const lists = [resource.name, 'list'];
  const toggle = useMutation({
    mutationFn: (on: boolean) => changeRow(resource, key, { [name]: on } as RowInput<R>, { limitMs: answerMs }),
    onMutate: async (on) => {
      await client.cancelQueries({ queryKey: lists });
      const before = client.getQueriesData({ queryKey: lists });
      client.setQueriesData<RowsPage<Row<R>>>(
        { queryKey: lists },
        (page) => page && { ...page, rows: page.rows.map((row) => (keyOf(resource, row) === key ? { ...row, [name]: on } : row)) },
      );
      return before;
    },
    onError: (error, _on, before) => {
      for (const [list, data] of before ?? []) client.setQueryData(list, data);
      toastFailure(error, failed);
    },
    onSettled: () => client.invalidateQueries({ queryKey: [resource.name] }),
  });
  return (
    <input
      type="checkbox"
      role="switch"
      className="switch"
      aria-label={t.toggle(label, titleOf(resource, row))}
      checked={row[name] === true}
      aria-busy={toggle.isPending}
      disabled={toggle.isPending || !may(resource.area, 'edit')}
      onChange={(event) => toggle.mutate(event.target.checked)}
    />
  );
}
