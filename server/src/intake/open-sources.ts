/** Sources by their address and token, cached for five seconds and until a source changes. */
import { timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { sourceTokenPrefix, type SourceKind, type unknownPolicies } from '@cloudfit/contract/sources/kinds.ts';
import { hashIntegrationToken, isWellFormedIntegrationToken } from '../auth/integration-token.ts';
import { tokensChannel } from '../auth/invalidate.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { keepNewest } from '../platform/keep-newest.ts';
import { planOf, type SourcePlan } from './map.ts';

/** A source with what its requests need. */
export interface OpenSource {
  id: string;
  name: string;
  kind: SourceKind;
  tenantId: string;
  subscriptionId: string;
  unknownEntities: (typeof unknownPolicies)[number];
  plan: SourcePlan;
  enabled: boolean;
  tenantEnabled: boolean;
  tokenHash: Buffer;
}

interface OpenSourceRow {
  source_id: string;
  tenant_id: string;
  subscription_id: string;
  name: string;
  kind: SourceKind;
  enabled: boolean;
  tenant_enabled: boolean;
  unknown_entities: (typeof unknownPolicies)[number];
  device_name: string | null;
  block_name: string | null;
  mapping: string | null;
  clock: string;
  token_hash: Buffer;
}

export interface OpenSources {
  /** The source with this id; undefined if there is none. Its token is not checked yet. */
  find(id: string): Promise<OpenSource | undefined>;
  close(): Promise<void>;
}

const freshMs = 5_000;
const maxCached = 10_000;
const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const read = `select s.source_id, s.tenant_id, s.subscription_id, s.name, s.kind, s.enabled, t.enabled as tenant_enabled, s.unknown_entities,
  s.device_name, s.block_name, s.mapping, s.clock, s.token_hash
from intake_source s join tenant t on t.tenant_id = s.tenant_id where s.source_id = $1`;

/** Reads a source for those who may see it, such as for a trial of a payload. */
export async function readSource(db: Ctx['db'], id: string): Promise<OpenSource | undefined> {
  const [row] = await db.query<OpenSourceRow>({ name: 'open-source', text: read, values: [id] });
  return (
    row && {
      id: row.source_id,
      name: row.name,
      kind: row.kind,
      tenantId: row.tenant_id,
      subscriptionId: row.subscription_id,
      unknownEntities: row.unknown_entities,
      plan: planOf(row),
      enabled: row.enabled,
      tenantEnabled: row.tenant_enabled,
      tokenHash: row.token_hash,
    }
  );
}

export async function openSources({ database }: { database: Database }): Promise<OpenSources> {
  const cache = new Map<string, { source: OpenSource | undefined; at: number }>();
  const stop = await database.listen(tokensChannel, () => cache.clear());
  return {
    find: async (sent) => {
      const id = sent.toLowerCase();
      if (!guid.test(id)) return undefined;
      const cached = cache.get(id);
      if (cached && Date.now() - cached.at < freshMs) return cached.source;
      const at = Date.now();
      const source = await readSource(database.scoped('all'), id);
      keepNewest(cache, maxCached, id, { source, at });
      return source;
    },
    close: stop,
  };
}

const wrongToken = 'This address and token do not belong together. Copy both from the page Sources.';

/** Throws 401 for a wrong token, and 403 when the source or its tenant is disabled. */
export function requireToken(source: OpenSource | undefined, token: string | undefined): OpenSource {
  if (token === undefined)
    throw new ApiError(
      'Unauthorized',
      'Send the token of the source: as a bearer token, as the password, or as the last part of the address.',
    );
  if (!isWellFormedIntegrationToken(token, sourceTokenPrefix))
    throw new ApiError('Unauthorized', 'This is not a complete token of a source: please check that it was copied whole.');
  // The same answer for an unknown source, so that nobody learns which there are.
  if (!source || !timingSafeEqual(source.tokenHash, hashIntegrationToken(token))) throw new ApiError('Unauthorized', wrongToken);
  if (!source.tenantEnabled) throw new ApiError('Forbidden', 'The tenant of this source is disabled.');
  if (!source.enabled) throw new ApiError('Forbidden', 'This source is disabled. Enable it on the page Sources.');
  return source;
}

/** What a source may do by itself; its own policy decides what it does. */
const deeds = [
  permission('Devices', 'create'),
  permission('Blocks', 'create'),
  permission('PendingDevices', 'create'),
  permission('Packets', 'create'),
] as const;

/** The ctx of a request of a source: within its tenant, with what its policy needs. */
export function ctxOf(database: Database, source: OpenSource, request: { log: Logger; correlationId: string; address?: string }): Ctx {
  return {
    actor: { kind: 'token', id: source.id, name: source.name, scopes: ['ingest'] },
    tenants: [source.tenantId],
    permissions: new Map([[source.tenantId, new Set<string>(deeds)]]),
    db: database.scoped([source.tenantId]),
    now: () => new Date(),
    ...request,
  };
}
