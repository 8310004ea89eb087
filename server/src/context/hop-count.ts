/** The signed hop count of outbound calls: a count in a request is trusted only when this installation wrote it. */
import { timingSafeEqual } from 'node:crypto';
import type { Ctx } from './ctx.ts';

/** The header that sends the count with a call, and from which it is read when the call leads back here. */
export const hopHeader = 'cloudfit-hops';

/** How long a count is valid, so that a receiver cannot keep one for later use. */
const validSeconds = 3_600;
const spelling = /^(\d{1,3})\.(\d{1,12})\.([0-9a-f-]{36})\.([\w-]{43})$/;

export interface HopCounts {
  /** The header for a call of this tenant. */
  header(hops: number, tenantId: string): string;
  /** The count in a header; 0 unless it was signed here, in the last hour, for a tenant of the caller. */
  read(header: string | string[] | undefined, caller: Pick<Ctx, 'tenants' | 'now'>): number;
}

/** Returns the signatures of a text for a purpose, one for each master key, that of the current key first. */
interface Signer {
  signatures(text: string, purpose: string): readonly string[];
}

export function openHopCounts(masterKey: Signer): HopCounts {
  return {
    header: (hops, tenantId) => {
      const content = `${hops}.${Math.floor(Date.now() / 1_000)}.${tenantId}`;
      return `${content}.${masterKey.signatures(content, hopHeader)[0]}`;
    },
    read: (header, { tenants, now }) => {
      const [, hops = '', seconds = '', tenantId = '', signature = ''] = spelling.exec(typeof header === 'string' ? header : '') ?? [];
      if (signature === '' || (tenants !== 'all' && !tenants.includes(tenantId))) return 0;
      if (Math.abs(now().getTime() / 1_000 - Number(seconds)) > validSeconds) return 0;
      const valid = masterKey.signatures(`${hops}.${seconds}.${tenantId}`, hopHeader);
      return valid.some((item) => timingSafeEqual(Buffer.from(item), Buffer.from(signature))) ? Number(hops) : 0;
    },
  };
}
