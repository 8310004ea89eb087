import { sql } from '../../db/sql.ts';
import { executableTypes, operationTypes, packageTypes } from '@cloudfit/contract/enums.ts';
import { operations } from '@cloudfit/contract/resources/operations.ts';
import { packageVersions } from '@cloudfit/contract/resources/package-versions.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import type { Ctx } from '../../context/ctx.ts';
import { compile } from '../../db/compile.ts';
import { remove } from '../../resources/remove.ts';
import { serve, type FieldError } from '../../resources/served.ts';

const policiesThatName = `select p.name from device_policy p where not p.is_deleted and (p.packages @> jsonb_build_array(jsonb_build_object('packageId', $1::uuid::text))
  or exists (select from operation o where o.package_id = $1::uuid and p.operations @> jsonb_build_array(jsonb_build_object('operationId', o.operation_id::text))))
order by p.name limit 10`;

/**
 * Returns an error if devices still use the package, or policies give it to devices. Locks the operations of the package, so that no device gets one of them
 * meanwhile.
 */
async function usedBy(ctx: Ctx, packageId: string): Promise<FieldError[]> {
  await ctx.db.query({ text: 'select 1 from operation where package_id = $1 for update', values: [packageId] });
  const [used] = await ctx.db.query<{ runs: number; installed: number }>({
    text: `select (select count(*) from device_operation o join operation p on p.operation_id = o.operation_id where p.package_id = $1 and not o.is_deleted) as runs,
      (select count(*) from device_installation where package_id = $1) as installed`,
    values: [packageId],
  });
  if (used && used.runs > 0) return [{ target: 'packageId', message: 'This package cannot be deleted while devices run its operations.' }];
  if (used && used.installed > 0)
    return [{ target: 'packageId', message: 'This package cannot be deleted while it is installed on devices.' }];
  const naming = await ctx.db.query<{ name: string }>({ name: 'package-policies', text: policiesThatName, values: [packageId] });
  if (naming.length === 0) return [];
  const names = naming.map(({ name }) => name).join(', ');
  return [
    { target: 'packageId', message: `Policies give this package or its operations to devices: ${names}. Take it out of them first.` },
  ];
}

/** Copies the fields of a package or operation to its device operations, which show them. */
async function passOn(ctx: Ctx, id: { packageId: string } | { operationId: string }): Promise<void> {
  const is = 'packageId' in id ? sql`p.package_id = ${id.packageId}` : sql`o.operation_id = ${id.operationId}`;
  const named = (column: string, choices: readonly { value: number; label: string }[]) =>
    sql`${JSON.stringify(Object.fromEntries(choices.map((c) => [c.value, c.label])))}::jsonb ->> ${sql.ref(column)}::text`;
  await ctx.db.query(
    compile(sql`update device_operation d set package_name = p.name, package_type = ${named('p.package_type_id', packageTypes)},
      package_executable_type = ${named('p.executable_type_id', executableTypes)}, operation_type = ${named('o.operation_type_id', operationTypes)}
      from operation o join package p on p.package_id = o.package_id where d.operation_id = o.operation_id and ${is}`),
  );
}

export const servedPackages = serve(packages, 'package', {
  check: (ctx, { verb, before, after }) => {
    // The server itself updates its packages from the manifest of a new version.
    if (verb !== 'create' && before?.isBuiltIn && ctx.actor.kind !== 'system')
      return [
        { target: 'packageId', message: `${before.name} comes with the server and cannot be ${verb === 'delete' ? 'deleted' : 'edited'}.` },
      ];
    return verb === 'delete' ? usedBy(ctx, after.packageId) : [];
  },
  needsAfter: ({ verb }) => verb !== 'create',
  after: async (ctx, { verb, after, changed }) => {
    const { packageId } = after;
    if (verb === 'update' && changed.some((name) => name === 'name' || name === 'packageTypeId' || name === 'executableTypeId'))
      await passOn(ctx, { packageId });
    if (verb !== 'delete') return;
    // The foreign keys of dependent rows are deferred, so these rows can be written after the deletion of the package.
    const idsOf = (text: string) => ctx.db.query<{ id: string }>({ text, values: [packageId] });
    const versions = await idsOf('select package_version_id as id from package_version where package_id = $1');
    for (const { id } of versions) await remove(ctx, servedPackageVersions, id);
    const run = await idsOf('select operation_id as id from operation where package_id = $1 and not is_deleted');
    for (const { id } of run) await remove(ctx, servedOperations, id);
    await ctx.db.query({ text: 'update operation set package_id = null where package_id = $1', values: [packageId] });
  },
});

export const servedPackageVersions = serve(packageVersions, 'package_version');

export const servedOperations = serve(operations, 'operation', {
  needsAfter: ({ verb, changed }) => verb === 'update' && changed.includes('operationTypeId'),
  after: (ctx, { after }) => passOn(ctx, { operationId: after.operationId }),
});
