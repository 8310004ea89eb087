/** Whether a fault comes and goes so often that its matches say little. */
import { changesOf, flappingMatches } from '@cloudfit/contract/noise/flapping.ts';
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import type { Db } from '../../db/db.ts';

/** Returns a sentence about the changes of the rule and subject in the hour before `at`; undefined unless they flap. */
export async function flappingText(
  db: Db,
  ruleId: string,
  subjectId: string,
  at: Date,
  { why }: ExplanationWords,
): Promise<string | undefined> {
  const [row] = await db.query<{ matches: number }>({
    name: 'matches-in-hour',
    text: `select count(*)::int as matches from rule_match
where subject_id = $2 and rule_id = $1 and created > $3::timestamptz - interval '1 hour' and created <= $3`,
    values: [ruleId, subjectId, at.toISOString()],
  });
  const matches = row?.matches ?? 0;
  return matches < flappingMatches ? undefined : why.flaps(changesOf(matches));
}
