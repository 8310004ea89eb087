import {
  endDirectoryToken,
  groupsOfDirectory,
  newDirectoryToken,
  setDirectorySecret,
  tryDirectory,
  type directoryTrial,
} from '@cloudfit/contract/directories/calls.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { directoryTokenPrefix } from '@cloudfit/contract/resources/directories.ts';
import type { z } from 'zod';
import { writeDirectorySecret } from '../../auth/directories/directory-secret.ts';
import { createIntegrationToken } from '../../auth/integration-token.ts';
import type { MasterKey } from '../../auth/master-key.ts';
import { inTransaction, may, requirePermission, type Ctx } from '../../context/ctx.ts';
import { sql, type RawBuilder } from '../../db/sql.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedDirectories, type DirectoryRow } from './directories.served.ts';

export interface DirectoryParts {
  masterKey: MasterKey;
  /** Connects to a directory as it is stored, or finds the person of a name. */
  tryDirectory(ctx: Ctx, directory: DirectoryRow, userName: string | undefined): Promise<z.infer<typeof directoryTrial>>;
}

/** Changes of a directory beside its fields; directories belong to the installation, so this needs the permission in all tenants. */
function changed<T>(
  outside: Ctx,
  id: string,
  set: (row: DirectoryRow) => RawBuilder<unknown>,
  along: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  return inTransaction(outside, async (ctx) => {
    const before = await get(ctx, servedDirectories, id, { lock: 'edit' });
    requirePermission(ctx, 'People', 'edit', null);
    const write = sql`update directory set ${set(before)}, modified = now(), version = version + 1 where directory_id = ${id}::uuid returning *`;
    const row = await writeRecorded(ctx, servedDirectories, 'update', write, before);
    if (!row) throw notFound('Directory');
    return along(ctx);
  });
}

const renew = implement(newDirectoryToken, (ctx, { id, days }) => {
  const { hash, hint, token } = createIntegrationToken(directoryTokenPrefix);
  const expiresOn = new Date(ctx.now().getTime() + days * 86_400_000).toISOString();
  return changed(
    ctx,
    id,
    () => sql`token_hint = ${hint}, token_expires_on = ${expiresOn}::timestamptz`,
    async ({ db }) => {
      await db.query({
        text: `insert into directory_secret (directory_id, token_hash) values ($1, $2)
          on conflict (directory_id) do update set token_hash = excluded.token_hash, end_told_on = null`,
        values: [id, hash],
      });
      return { directoryId: id, generatedToken: token, expiresOn };
    },
  );
});

const end = implement(endDirectoryToken, (ctx, { id }) =>
  changed(
    ctx,
    id,
    () => sql`token_hint = null, token_expires_on = null`,
    async ({ db }) => {
      const ended = await db.query({
        text: 'update directory_secret set token_hash = null where directory_id = $1 and token_hash is not null returning 1',
        values: [id],
      });
      return { ended: ended.length > 0 };
    },
  ),
);

const keepSecret = (parts: DirectoryParts) =>
  implement(setDirectorySecret, (ctx, { id, secret }) =>
    changed(
      ctx,
      id,
      ({ kind }) => {
        if (kind === 'None')
          throw validationFailed([{ target: 'secret', message: 'This directory has no provider to which a secret is sent.' }]);
        return sql`secret_set_on = now()`;
      },
      async ({ db }) => {
        await writeDirectorySecret(db, parts.masterKey, id, secret);
        return { directoryId: id };
      },
    ),
  );

interface DirectoryGroupRow {
  claim: string;
  people: number;
  grants: { grantId: string; permissionSet: string; tenantId: string | null; tenantName: string | null }[];
}

/** Groups that people have, that SCIM has sent, and that grants name. */
const groupRows = `with named as (
    select $2 || ':' || display_name as claim from directory_group where directory_id = $1
    union select c from person p, unnest(p.claims) c where p.directory_id = $1 and starts_with(c, $2 || ':')
    union select claim from access_grant where starts_with(claim, $2 || ':')
  )
  select n.claim, (select count(*)::int from person p where p.directory_id = $1 and n.claim = any(p.claims)) as people,
    coalesce((select jsonb_agg(jsonb_build_object('grantId', g.grant_id, 'permissionSet', s.name, 'tenantId', g.tenant_id, 'tenantName', t.name) order by s.name, t.name)
      from access_grant g join permission_set s using (permission_set_id) left join tenant t on t.tenant_id = g.tenant_id where g.claim = n.claim), '[]') as grants
  from named n order by n.claim collate natural_order limit 1000`;

const groups = implement(groupsOfDirectory, async (ctx, { id }) => {
  const { directoryId, prefix } = await get(ctx, servedDirectories, id);
  // The tables of SCIM are those of the installation; who sees the directory sees all of its tenants.
  const [counted] = await ctx.db.query<{ people: number }>({
    text: 'select count(*)::int as people from person where directory_id = $1',
    values: [directoryId],
  });
  const rows = await ctx.db.query<DirectoryGroupRow>({ text: groupRows, values: [directoryId, prefix] });
  return {
    people: counted?.people ?? 0,
    value: rows.map(({ claim, people, grants }) => ({
      group: claim.slice(prefix.length + 1),
      claim,
      people,
      grants: grants.filter(({ tenantId }) => may(ctx, permission('People', 'view'), tenantId)),
    })),
  };
});

export function directoryActions({ directories: parts }: { directories: DirectoryParts }): readonly ImplementedAction[] {
  const attempt = implement(tryDirectory, async (ctx, { id, userName }) => {
    const directory = await get(ctx, servedDirectories, id);
    requirePermission(ctx, 'People', 'edit', null);
    return parts.tryDirectory(ctx, directory, userName);
  });
  return [renew, end, keepSecret(parts), groups, attempt];
}
