/** What the feeds of people contain: rows that their owners may view when the feed is read. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { openStates, workUnitType } from '@cloudfit/contract/enums.ts';
import { and, eq, oneOf, or } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { changeFreezes } from '@cloudfit/contract/resources/change-freezes.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { readerMarks } from '@cloudfit/contract/views/screens.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { atomText, type AtomFeed } from '../../platform/feeds/atom.ts';
import { icalendarText, type CalendarEvent } from '../../platform/feeds/icalendar.ts';
import type { MailTexts } from '../../platform/mail-texts.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { list } from '../../resources/list.ts';
import { servedOf } from '../../resources/served.ts';

const entriesMax = 100;
const eventsMax = 500;

export interface OpenFeed {
  feedId: string;
  tenantId: string;
  tenantName: string;
  viewName: string | null;
  filter: string | null;
}

type FeedTexts = MailTexts['feeds'];

/** The filter of a view for its reader. */
function filterFor({ filter, tenantId }: OpenFeed, { actor }: Ctx): string | undefined {
  if (filter === null) return undefined;
  const name = actor.kind === 'person' ? actor.userName : '';
  return `(${filter.replaceAll(readerMarks.tenantId, tenantId).replaceAll(readerMarks.userName, name.replaceAll("'", "''"))})`;
}

/** Open work units of the tenant or of the view, those that changed last first. */
export async function unitsFeed(
  ctx: Ctx,
  feed: OpenFeed,
  { texts, language, publicUrl, self }: { texts: FeedTexts; language: string; publicUrl: string; self: string },
): Promise<string> {
  const filter = and(eq(workUnits, 'tenantId', feed.tenantId), oneOf(workUnits, 'stateId', openStates), filterFor(feed, ctx));
  const { value } = await list(
    ctx,
    servedOf(workUnits),
    queryText<typeof workUnits>({ filter, orderBy: 'modified desc', top: entriesMax }),
    {
      select: ['workUnitId', 'publicWorkUnitId', 'title', 'description', 'severityId', 'stateId', 'assignedTo', 'created', 'modified'],
    },
  );
  const atom: AtomFeed = {
    uuid: feed.feedId,
    title: texts.units(feed.viewName ?? feed.tenantName),
    language,
    self,
    page: `${publicUrl}/${feed.tenantId}/workunitsv2`,
    author: 'CloudFit',
    updated: ctx.now().getTime(),
    entries: value.map((unit) => ({
      uuid: uuidV5(feed.tenantId, `work unit ${unit.workUnitId}`),
      title: `${unit.severityId} #${unit.publicWorkUnitId}: ${unit.title}`,
      updated: Date.parse(unit.modified),
      published: Date.parse(unit.created),
      text: [texts.state(unit.stateId), unit.assignedTo ? texts.assigned(unit.assignedTo) : texts.unassigned, unit.description]
        .filter(Boolean)
        .join('\n\n'),
      url: `${publicUrl}/${feed.tenantId}/workunitsv2?workUnitId=${unit.workUnitId}`,
      categories: [unit.severityId, unit.stateId],
    })),
  };
  return atomText(atom);
}

const planned = [
  'workUnitId',
  'publicWorkUnitId',
  'title',
  'plannedStartTime',
  'plannedFinishTime',
  'approved1By',
  'approved2By',
  'isApproverRequired',
  'approvalOverriddenBy',
] as const;

/** Changes with a plan, maintenance and freezes: from a month ago until a year ahead, each kind that the person may view. */
export async function changesCalendar(
  ctx: Ctx,
  feed: OpenFeed,
  { texts, publicUrl }: { texts: FeedTexts; publicUrl: string },
): Promise<string> {
  const { tenantId } = feed;
  const now = ctx.now().getTime();
  const [begin, end] = [new Date(now - 31 * dayMs).toISOString(), new Date(now + 366 * dayMs).toISOString()];
  const times = `startsAt lt ${end} and endsAt gt ${begin}`;
  const events: CalendarEvent[] = [];
  if (may(ctx, permission('WorkUnits', 'view'), tenantId)) {
    const filter = and(
      eq(workUnits, 'tenantId', tenantId),
      eq(workUnits, 'workUnitTypeId', workUnitType.changeRequest),
      `plannedStartTime lt ${end} and plannedFinishTime gt ${begin} and stateId ne 'Canceled'`,
    );
    const query = queryText<typeof workUnits>({ filter, orderBy: 'plannedStartTime asc', top: eventsMax });
    for (const unit of (await list(ctx, servedOf(workUnits), query, { select: planned })).value)
      events.push({
        uid: `change-${unit.workUnitId}`,
        from: Date.parse(unit.plannedStartTime ?? ''),
        to: Date.parse(unit.plannedFinishTime ?? ''),
        summary: texts.change(unit.publicWorkUnitId, unit.title),
        url: `${publicUrl}/${tenantId}/workunitsv2?workUnitId=${unit.workUnitId}`,
        isTentative: !unit.approvalOverriddenBy && !(unit.approved1By && (unit.approved2By || !unit.isApproverRequired)),
        isBusy: true,
      });
  }
  if (may(ctx, permission('Maintenance', 'view'), tenantId)) {
    // That of an approved change is the change.
    const windows = queryText<typeof maintenanceWindows>({
      filter: and(eq(maintenanceWindows, 'tenantId', tenantId), times, 'isChange eq false'),
      orderBy: 'startsAt asc',
      top: eventsMax,
    });
    for (const window of (await list(ctx, servedOf(maintenanceWindows), windows)).value)
      events.push({
        uid: `maintenance-${window.maintenanceWindowId}`,
        from: Date.parse(window.startsAt),
        to: Date.parse(window.endsAt),
        summary: texts.maintenance(window.reason),
        url: `${publicUrl}/${tenantId}/maintenance?id=${window.maintenanceWindowId}`,
      });
    const freezes = queryText<typeof changeFreezes>({
      filter: and(or(eq(changeFreezes, 'tenantId', tenantId), eq(changeFreezes, 'tenantId', null)), times),
      orderBy: 'startsAt asc',
      top: eventsMax,
    });
    for (const freeze of (await list(ctx, servedOf(changeFreezes), freezes)).value)
      events.push({
        uid: `freeze-${freeze.changeFreezeId}`,
        from: Date.parse(freeze.startsAt),
        to: Date.parse(freeze.endsAt),
        summary: texts.freeze(freeze.name),
        url: `${publicUrl}/${tenantId}/changefreezes?id=${freeze.changeFreezeId}`,
      });
  }
  return icalendarText('Changes', texts.calendar(feed.tenantName), events, now);
}
