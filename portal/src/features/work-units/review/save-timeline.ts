/** Reads what is recorded of a unit, and saves it as a timeline or as JSON. */
import { workUnitHistory, workUnitSeen } from '@cloudfit/contract/calls.ts';
import { unitExportTexts as unitTexts } from '@cloudfit/contract/messages/unit-export.en.ts';
import { reviewTexts as t } from '@cloudfit/contract/messages/incident-review.en.ts';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call } from '../../../api/call.ts';
import { mayNow } from '../../../api/lookups.ts';
import { namesArrived, personName } from '../../../api/people-names.ts';
import { readRow } from '../../../api/row-calls.ts';
import { command } from '../../../calls/command.ts';
import { saveFile } from '../../../components/save-file.ts';
import { fetchPage } from '../../../rows/use-rows.ts';
import { maxRelated, relatedIds, type RelatedMatch } from '../related/use-related.ts';
import { notificationsQuery } from '../panel/notifications-query.ts';
import { timelineMarkdown } from './timeline-markdown.ts';

async function matchesOf(ids: readonly string[]): Promise<readonly RelatedMatch[]> {
  if (ids.length === 0 || !(await mayNow('Rules', 'view'))) return [];
  const query = { filter: oneOf(ruleMatches, 'ruleMatchId', ids), orderBy: 'created desc', top: maxRelated } as const;
  // Names of devices only for people who may view devices.
  return (await mayNow('Devices', 'view'))
    ? (await fetchPage(ruleMatches, { ...query, expand: ['rule', 'device'] })).rows
    : (await fetchPage(ruleMatches, { ...query, expand: ['rule'] })).rows;
}

export const saveTimeline = command(
  async (workUnitId: number) => {
    const unit = await readRow(workUnits, workUnitId, { expand: ['tenant', 'relations'] });
    const [{ value: history }, { rows: messages }, matches, { value: visits }] = await Promise.all([
      call(workUnitHistory, { workUnitId }),
      fetchPage(notifications, notificationsQuery(workUnitId)),
      matchesOf(relatedIds(unit, 'RuleMatch')),
      call(workUnitSeen, { id: workUnitId }),
    ]);
    for (const { createdBy } of history) personName(createdBy);
    await namesArrived();
    const nameOf = (userName: string) => personName(userName) || userName;
    const id = unit.publicWorkUnitId;
    saveFile(t.fileName(id), timelineMarkdown({ unit, history, messages, matches, visits, nameOf }), 'text/markdown;charset=utf-8');
    return id;
  },
  { done: (id) => t.exported(id), failed: t.failed },
);

/** Its fields, relations, clocks and the whole history, as the API answers them. */
export const saveUnit = command(
  async (workUnitId: number) => {
    const [unit, { value: history }] = await Promise.all([
      readRow(workUnits, workUnitId, { expand: ['tenant', 'workUnitType', 'relations', 'clocks'] }),
      call(workUnitHistory, { workUnitId }),
    ]);
    const id = unit.publicWorkUnitId;
    saveFile(unitTexts.fileName(id), JSON.stringify({ ...unit, history }, null, 2), 'application/json');
    return id;
  },
  { done: (id) => unitTexts.exported(id), failed: unitTexts.failed },
);
