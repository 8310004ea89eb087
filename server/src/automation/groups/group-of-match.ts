/** The group of a match and the summary of a group: how they are read, and their placeholders. */
import type { PlaceholderValues } from '../placeholders.ts';

/** The group to which a match belongs, as its actions need it. */
export interface GroupOfMatch {
  id: string;
  kind: string;
  label: string;
  statement: string | null;
  scope: string;
  key: string;
  count: number;
  open: number;
}

/** The texts of a summary. They replace the match's own title and facts. */
export interface GroupSummary {
  title: string;
  text: string;
}

/** Joins for `groupColumn`; `m` is the match. */
export const groupJoins = `left join match_group_member gm on gm.rule_match_id = m.rule_match_id
left join match_group mg on mg.match_group_id = gm.match_group_id`;

/** A `GroupOfMatch` as one JSON value. */
export const groupColumn = `case when mg.match_group_id is not null then jsonb_build_object('id', mg.match_group_id, 'kind', mg.kind, 'label', mg.label, 'statement', mg.statement,
    'scope', mg.unit_scope, 'key', mg.unit_key, 'count', mg.joined,
    'open', (select count(*) from match_group_member o where o.match_group_id = mg.match_group_id and o.ended is null)) end`;

/** Returns the placeholders of the group; none if the match shares its cause with no other match. */
export function groupValues(group: GroupOfMatch | null): PlaceholderValues {
  if (!group || group.kind === 'Subject') return {};
  return { GroupName: group.statement ?? group.label, GroupCount: group.count, GroupOpen: group.open };
}

/** The values of a summary for the whole group, under the names that actions use for one match. */
export function summaryValues(summary: GroupSummary | undefined): PlaceholderValues {
  return summary
    ? { Label: summary.title, Title: summary.title, Facts: summary.text, Description: summary.text, Condition: '', Seen: '' }
    : {};
}
