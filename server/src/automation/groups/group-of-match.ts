/** The group of a match, for its actions. */
import type { PlaceholderValues } from '../placeholders.ts';

/** The group whose actions run for this match. */
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

/** What a summary says. It stands in the place of the match's own title and facts. */
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

/** A match that is alone in its group says nothing of it. */
export function groupValues(group: GroupOfMatch | null): PlaceholderValues {
  if (!group || group.kind === 'Subject') return {};
  return { GroupName: group.statement ?? group.label, GroupCount: group.count, GroupOpen: group.open };
}

/** A summary speaks for the whole group, in the words that actions have for one match. */
export function summaryValues(summary: GroupSummary | undefined): PlaceholderValues {
  return summary
    ? { Label: summary.title, Title: summary.title, Facts: summary.text, Description: summary.text, Condition: '', Seen: '' }
    : {};
}
