/** Why a device is in its selections: the conditions of each filter that hold for it. */
import { bindQuery } from '@cloudfit/contract/query/bind-query.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import { print } from '@cloudfit/contract/query/print.ts';
import type { Tree } from '@cloudfit/contract/query/tree.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { devicesOfFilter } from './members.ts';

interface MemberOf {
  deviceSelectionId: string;
  name: string;
  since: string;
  filter: string;
}

const text = `select s.device_selection_id as "deviceSelectionId", s.name, to_char(m.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since, s.filter
from selection_member m join device_selection s on s.device_selection_id = m.device_selection_id where m.device_id = $1 order by s.name, s.device_selection_id`;

/** The parts of a filter that must all hold, and of alternatives those that do. */
async function holding(tree: Tree, holds: (filter: string) => Promise<boolean>): Promise<string[]> {
  if (tree.k === 'and') return (await Promise.all(tree.of.map((part) => holding(part, holds)))).flat();
  if (tree.k !== 'or') return [print(tree)];
  const parts: string[] = [];
  for (const part of tree.of) if (await holds(print(part))) parts.push(...(await holding(part, holds)));
  return parts;
}

export async function reasonsOf(ctx: Ctx, { deviceId, tenantId }: { deviceId: string; tenantId: string }) {
  const rows = await ctx.db.query<MemberOf>({ name: 'selection-reasons', text, values: [deviceId] });
  const holds = async (filter: string) => (await devicesOfFilter(ctx, { tenantId, filter }, [deviceId])).count > 0;
  const reasons: (Omit<MemberOf, 'filter'> & { because: string[] })[] = [];
  for (const { filter, ...row } of rows) {
    const tree = bindQuery(devices, parseOptions(`$filter=${encodeURIComponent(filter)}`), requireResource).filter;
    // A condition on something that the caller may not view stays unnamed.
    const because = tree
      ? await holding(tree, holds).catch((error: unknown) => {
          if (error instanceof ApiError && error.status < 500) return [];
          throw error;
        })
      : [];
    reasons.push({ ...row, because });
  }
  return reasons;
}
