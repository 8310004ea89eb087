/** Stores the identity provider's state in PostgreSQL, so that sessions survive a restart and all servers share them. */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Db } from '../../db/db.ts';
import { revokeToken } from '../revoked-tokens.ts';

/** The lifetime of access tokens, in seconds. */
export const accessTokenSeconds = 600;

interface PayloadRow {
  payload: AdapterPayload;
  consumed: number | null;
}

export function adapterFor(db: Db, model: string): Adapter {
  const find = async (column: 'id' | 'uid' | 'user_code', value: string): Promise<AdapterPayload | undefined> => {
    const [row] = await db.query<PayloadRow>({
      name: `identity-item-${column}`,
      text: `select payload, extract(epoch from consumed_at)::float8 as consumed from identity_item
        where model = $1 and expires_at > now() and ${column} = $2`,
      values: [model, value],
    });
    return row && { ...row.payload, ...(row.consumed === null ? {} : { consumed: row.consumed }) };
  };

  // Access tokens are not stored, so the API refuses them by the grant that they name.
  const refuseTokensOf = (grantId: string): Promise<void> => revokeToken(db, grantId, new Date(Date.now() + accessTokenSeconds * 1_000));
  const endGrant = async (grantId: string): Promise<void> => {
    await refuseTokensOf(grantId);
    await db.query({ text: `delete from identity_item where grant_id = $1 or (model = 'Grant' and id = $1)`, values: [grantId] });
  };

  return {
    upsert: async (id, payload, expiresIn) => {
      await db.query({
        text: `insert into identity_item (model, id, payload, account_id, grant_id, uid, user_code, expires_at)
          select $1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 second'
          -- A request that was under way when the session was ended must not bring it back.
          where $1 <> 'Session' or not exists (select from revoked_token where revoked_id = $6)
          on conflict (model, id) do update set payload = excluded.payload, account_id = excluded.account_id, grant_id = excluded.grant_id,
            uid = excluded.uid, user_code = excluded.user_code, expires_at = excluded.expires_at`,
        values: [
          model,
          id,
          JSON.stringify(payload),
          payload.accountId ?? null,
          payload.grantId ?? null,
          payload.uid ?? null,
          payload.userCode ?? null,
          expiresIn,
        ],
      });
    },
    find: (id) => find('id', id),
    findByUid: (uid) => find('uid', uid),
    findByUserCode: (userCode) => find('user_code', userCode),
    consume: async (id) => {
      const [row] = await db.query<{ grant_id: string | null; consumed_before: boolean }>({
        text: `update identity_item set consumed_at = now() from (select consumed_at from identity_item where model = $1 and id = $2 for update) as before
          where model = $1 and id = $2 returning grant_id, before.consumed_at is not null as consumed_before`,
        values: [model, id],
      });
      // Two requests at once, maybe at two servers, found the code unused. The library treats a later one in the same way.
      // Two tabs may renew by one refresh token at once.
      if (model !== 'AuthorizationCode' || (row && !row.consumed_before)) return;
      if (row?.grant_id) await endGrant(row.grant_id);
      const { errors } = await import('oidc-provider');
      throw new errors.InvalidGrant('authorization code already consumed');
    },
    destroy: async (id) => {
      await db.query({ text: 'delete from identity_item where model = $1 and id = $2', values: [model, id] });
    },
    revokeByGrantId: async (grantId) => {
      if (model === 'AccessToken') return refuseTokensOf(grantId);
      await db.query({ text: 'delete from identity_item where model = $1 and grant_id = $2', values: [model, grantId] });
    },
  };
}

export async function forgetExpiredItems(db: Db): Promise<void> {
  await db.query({ text: 'delete from identity_item where expires_at < now()' });
}
