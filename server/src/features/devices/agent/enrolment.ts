/** How many new machines one token may register, and how many devices may be pending in one tenant. */
import { limits } from '@cloudfit/contract/limits.ts';
import { tooManyRequests } from '@cloudfit/contract/errors.ts';
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';

// A single conditional update, so that two servers that count at the same time do not exceed a limit.
const enrol = `with counted as (
  update token_grant set machines_enrolled = machines_enrolled + 1,
    enrolled_since = case when enrolling_since > now() - interval '1 minute' then enrolled_since + 1 else 1 end,
    enrolling_since = case when enrolling_since > now() - interval '1 minute' then enrolling_since else now() end
  where token_grant_id = $1 and machines_enrolled < machines_in_all
    and (enrolling_since is null or enrolling_since <= now() - interval '1 minute' or enrolled_since < machines_per_minute)
  returning token_grant_id, tenant_id
), changed as (${changed(tokens, 'update', 'counted', '$2')})
select t.machines_per_minute, t.machines_in_all, t.machines_enrolled, exists (select from counted) as is_counted
from token_grant t where t.token_grant_id = $1`;

interface EnrolmentCounts {
  machines_per_minute: number;
  machines_in_all: number;
  machines_enrolled: number;
  is_counted: boolean;
}

const waitingDevices = `select count(*)::int as n from (
  select 1 from pending_device where tenant_id = $1 and device_id is null limit ${limits.pendingDevices}) waiting`;

/** Counts a new machine of the token `tokenGrantId`; throws 429 with the reason when a limit is reached. */
export async function countEnrolment(ctx: Ctx, tenantId: string, tokenGrantId: string | null): Promise<void> {
  const [waiting] = await ctx.db.query<{ n: number }>({ name: 'pending-devices-waiting', text: waitingDevices, values: [tenantId] });
  if ((waiting?.n ?? 0) >= limits.pendingDevices)
    throw tooManyRequests(
      `${limits.pendingDevices} machines of this tenant wait to be promoted, which is the limit. Promote or delete some of them.`,
      600,
    );
  const [token] = await ctx.db.query<EnrolmentCounts>({ name: 'enrol-machine', text: enrol, values: [tokenGrantId, ctx.correlationId] });
  if (!token || token.is_counted) return;
  if (token.machines_enrolled >= token.machines_in_all)
    throw tooManyRequests(
      `This token has enrolled ${token.machines_enrolled} machines, which is its limit. Raise the limit, or use another token.`,
      3_600,
    );
  throw tooManyRequests(`This token may enrol ${token.machines_per_minute} new machines a minute. Please try again in a minute.`, 60);
}
