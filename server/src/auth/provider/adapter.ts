/** Stores the identity provider's state in PostgreSQL, so that sessions survive a restart and all servers share them. */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Db } from '../../db/db.ts';

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
      await db.query({ text: 'update identity_item set consumed_at = now() where model = $1 and id = $2', values: [model, id] });
    },
    destroy: async (id) => {
      await db.query({ text: 'delete from identity_item where model = $1 and id = $2', values: [model, id] });
    },
    revokeByGrantId: async (grantId) => {
      await db.query({ text: 'delete from identity_item where model = $1 and grant_id = $2', values: [model, grantId] });
    },
  };
}

export async function forgetExpiredItems(db: Db): Promise<void> {
  await db.query({ text: 'delete from identity_item where expires_at < now()' });
}
