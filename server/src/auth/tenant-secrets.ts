/** Values of tenant secrets: each is encrypted with its own key and bound to tenant, secret and version. */
import type { Db } from '../db/db.ts';
import type { SealedKey, MasterKey } from './master-key.ts';
import type { SecretPolicy } from './secret-use.ts';

export interface SecretVersion {
  value: string;
  version: number;
  created: string;
}

/** A secret that an action fills in, with its policy. */
export interface UsableSecret extends SecretPolicy {
  id: string;
  value: string;
}

export interface TenantSecrets {
  /** Writes the value of a version, in the transaction that assigned its number. */
  write(db: Db, secret: SecretKey, value: string, by: string): Promise<void>;
  /** Reads a version by its number. */
  read(db: Db, secret: SecretKey): Promise<SecretVersion | undefined>;
  /** Returns the latest values of the named secrets of one tenant, for use by the server itself; unknown names are left out. */
  latest(db: Db, tenantId: string, names: readonly string[]): Promise<Map<string, UsableSecret>>;
  /** Returns the newest versions of one secret, newest first: more than one is valid while a key is being replaced. */
  recent(db: Db, tenantId: string, name: string, count: number): Promise<SecretVersion[]>;
}

export interface SecretKey {
  tenantId: string;
  secretId: string;
  version: number;
}

interface StoredVersion {
  tenant_secret_id: string;
  name: string;
  secret_version: number;
  envelope: SealedKey;
  created: string;
}

/** Returns the purpose of a version's envelope: an envelope that was copied to another row cannot be decrypted. */
export function purposeOf({ tenantId, secretId, version }: SecretKey): string {
  return `${tenantId}|${secretId}|${version}`;
}

/** The purpose of the secret of an event subscription. */
export const eventSecretPurpose = (eventSubscriptionId: string): string => `event-subscription|${eventSubscriptionId}`;

export function openTenantSecrets(masterKey: MasterKey): TenantSecrets {
  const open = (tenantId: string, row: StoredVersion): SecretVersion => ({
    value: masterKey.open(row.envelope, purposeOf({ tenantId, secretId: row.tenant_secret_id, version: row.secret_version })),
    version: row.secret_version,
    created: row.created,
  });

  return {
    write: async (db, secret, value, by) => {
      await db.query({
        text: 'insert into tenant_secret_version (tenant_secret_id, secret_version, tenant_id, envelope, created_by) values ($1, $2, $3, $4, $5)',
        values: [secret.secretId, secret.version, secret.tenantId, JSON.stringify(masterKey.seal(value, purposeOf(secret))), by],
      });
    },
    read: async (db, { tenantId, secretId, version }) => {
      const [row] = await db.query<StoredVersion>({
        text: `select tenant_secret_id, '' as name, secret_version, envelope, created from tenant_secret_version
          where tenant_id = $1 and tenant_secret_id = $2 and secret_version = $3`,
        values: [tenantId, secretId, version],
      });
      return row && open(tenantId, row);
    },
    latest: async (db, tenantId, names) => {
      const rows = await db.query<StoredVersion & { allowed_hosts: string | null; allowed_actions: string[] | null }>({
        name: 'tenant-secrets-latest',
        text: `select v.tenant_secret_id, s.name, v.secret_version, v.envelope, v.created, s.allowed_hosts, s.allowed_actions
          from tenant_secret s join tenant_secret_version v on v.tenant_secret_id = s.id and v.secret_version = s.latest_version
          where s.tenant_id = $1 and v.tenant_id = $1 and s.name = any($2)`,
        values: [tenantId, names],
      });
      return new Map(
        rows.map((row) => [
          row.name,
          {
            id: row.tenant_secret_id,
            name: row.name,
            value: open(tenantId, row).value,
            allowedHosts: row.allowed_hosts,
            allowedActions: row.allowed_actions,
          },
        ]),
      );
    },
    recent: async (db, tenantId, name, count) => {
      const rows = await db.query<StoredVersion>({
        name: 'tenant-secret-recent',
        text: `select v.tenant_secret_id, s.name, v.secret_version, v.envelope, v.created
          from tenant_secret s join tenant_secret_version v on v.tenant_secret_id = s.id
          where s.tenant_id = $1 and v.tenant_id = $1 and s.name = $2 order by v.secret_version desc limit $3`,
        values: [tenantId, name, count],
      });
      return rows.map((row) => open(tenantId, row));
    },
  };
}
