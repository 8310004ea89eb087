/** Rows that were applied from a folder of files: which they are, and how protected ones are kept from other changes. */
import type { ManagedRow } from '@cloudfit/contract/actions/configuration.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { AnyServed } from '../../resources/served.ts';

/** A row that an import has written or left as it was. */
export interface AppliedKey {
  resource: string;
  key: string;
  tenantId: string | null;
}

/** A row with the file that has it. */
export interface RowOfFile extends AppliedKey {
  file: string | null;
}

/** Where the row was applied from; null for a row that was not. */
export async function managedRow({ db }: Ctx, resource: string, key: string | number): Promise<ManagedRow | null> {
  const [row] = await db.query<ManagedRow>({
    text: 'select source, file, note, is_protected as "isProtected", applied from managed_row where resource = $1 and row_key = $2',
    values: [resource, String(key)],
  });
  return row ?? null;
}

/** The resources of which rows were applied from a folder. */
export async function managedResources({ db }: Ctx): Promise<string[]> {
  const rows = await db.query<{ resource: string }>({ text: 'select distinct resource from managed_row order by resource', values: [] });
  return rows.map(({ resource }) => resource);
}

/**
 * Notes the rows of a folder, of which the `chosen` files were applied. Marks of the folder end whose file is not among its files; a row that
 * was refused this time remains marked. Two files may be about one row, by names in another case.
 */
export async function noteManaged(
  { db }: Ctx,
  { source, note, isProtected }: Pick<ManagedRow, 'source' | 'note' | 'isProtected'>,
  rows: readonly RowOfFile[],
  { files, chosen }: Readonly<Record<'files' | 'chosen', readonly string[]>>,
): Promise<void> {
  await db.transaction(async (db) => {
    await db.query({
      text: 'delete from managed_row where source = $1 and (file is null or not file = any($2::text[]))',
      values: [source, files],
    });
    await db.query({
      text: 'update managed_row set is_protected = $2 where source = $1 and is_protected <> $2 and file = any($3::text[])',
      values: [source, isProtected, chosen],
    });
    await db.query({
      text: `insert into managed_row (tenant_id, resource, row_key, file, source, note, is_protected)
      select distinct on (resource, key) tenant_id, resource, key, file, $5, $6, $7
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as r (tenant_id, resource, key, file)
      on conflict (resource, row_key) do update set tenant_id = excluded.tenant_id, source = excluded.source, file = excluded.file,
        note = excluded.note, is_protected = excluded.is_protected, applied = now()`,
      values: [
        rows.map(({ tenantId }) => tenantId),
        rows.map(({ resource }) => resource),
        rows.map(({ key }) => key),
        rows.map(({ file }) => file),
        source,
        note,
        isProtected,
      ],
    });
  });
}

/** The served resource, whose protected rows are neither changed nor deleted. Actions that switch a row on or off are not concerned. */
export function keepManaged(served: AnyServed): AnyServed {
  const { resource } = served;
  if (!resource.portable) return served;
  return {
    ...served,
    check: async (ctx, change) => {
      const managed = change.verb === 'create' ? null : await managedRow(ctx, resource.name, change.after[resource.key] as string | number);
      if (managed?.isProtected && managed.source !== ctx.applies)
        throw new ApiError(
          'Conflict',
          managed.file === null
            ? `This ${resource.label.toLowerCase()} is managed in Git, in the folder ${managed.source}: edit it there, and apply the folder.`
            : `This ${resource.label.toLowerCase()} is managed in Git, in ${managed.source}/${managed.file}: edit it there, and apply the folder.`,
        );
      return (await served.check?.(ctx, change)) ?? [];
    },
  };
}
