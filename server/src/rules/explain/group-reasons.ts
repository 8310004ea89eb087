/** Says which group a match belongs to, why, and whether its actions ran for it. */
import { permission } from '@cloudfit/contract/permissions.ts';
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { ruleWordsFor } from '../../platform/rule-words.ts';

interface GroupRow {
  matchId: string;
  kind: string | null;
  cause: string;
  reason: string | null;
  shared: string | null;
  isFirst: boolean;
  joined: number;
  open: number;
  first: string | null;
  opened: string | null;
  publicWorkUnitId: number | null;
  limit: number | null;
}

const groups = `select n.rule_match_id as "matchId", g.kind, n.cause, n.reason, coalesce(g.statement, g.label) as shared, coalesce(g.lead_match_id = n.rule_match_id, false) as "isFirst",
  coalesce(g.joined, 0) as joined, (select count(*) from match_group_member o where o.match_group_id = g.match_group_id and o.ended is null)::int as open,
  l.label as first, g.opened, w.public_work_unit_id as "publicWorkUnitId", r.storm_limit as limit
from match_group_member n left join match_group g on g.match_group_id = n.match_group_id left join rule_match l on l.rule_match_id = g.lead_match_id
left join work_unit w on w.work_unit_id = g.work_unit_id and w.tenant_id = g.tenant_id left join rule r on r.rule_id = g.rule_id
where n.rule_match_id = any($1::uuid[]) and n.tenant_id = $2`;

function whyOf({ kind, reason, shared, limit }: GroupRow, { why }: ExplanationWords): string[] {
  if (kind === 'Storm') return [limit === null ? why.stormOfTenant : why.storm(limit)];
  if (kind === 'Silence' || kind === 'Outage') return [why.inferred(reason ?? shared ?? '')];
  return [];
}

function sentences(row: GroupRow, seesUnits: boolean, words: ExplanationWords): string[] {
  const { why } = words;
  const { kind, shared, isFirst, joined, open, first, opened, publicWorkUnitId, cause } = row;
  if (kind === null) return [cause === 'Key' || cause === 'Storm' ? why.waitsForGroup : why.waitsForCause];
  // The match is alone in its group, so nothing is shared.
  if (kind === 'Subject' || (joined === 1 && isFirst)) return [];
  const unit = seesUnits ? publicWorkUnitId : null;
  const [group, size, by, at] = [shared ?? '', why.groupSize(joined, open), first ?? '', opened ?? ''];
  const place = isFirst
    ? unit === null
      ? why.groupOpened(group, size)
      : why.groupOpenedIn(group, size, unit)
    : unit === null
      ? why.groupJoined(group, size, by, at)
      : why.groupJoinedIn(group, size, by, at, unit);
  return [...whyOf(row, words), place];
}

/** Returns the sentences about the group of each match, by match id. */
export async function groupReasons(ctx: Ctx, matchIds: readonly string[], tenantId: string): Promise<ReadonlyMap<string, string[]>> {
  if (matchIds.length === 0) return new Map();
  const rows = await ctx.db.query<GroupRow>({ name: 'explain-groups', text: groups, values: [matchIds, tenantId] });
  const seesUnits = may(ctx, permission('WorkUnits', 'view'), tenantId);
  return new Map(rows.map((row) => [row.matchId, sentences(row, seesUnits, ruleWordsFor(ctx))]));
}
