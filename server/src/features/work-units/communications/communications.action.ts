/** Work units of a communication, and the mail to staff about it. */
import { createHash, randomUUID } from 'node:crypto';
import { sql } from '../../../db/sql.ts';
import {
  linkWorkUnits,
  postInternalNotification,
  sendInternalNotification,
  unlinkWorkUnit,
} from '@cloudfit/contract/actions/work-units/communications.ts';
import { communicationReport, type Report } from '@cloudfit/contract/communications/report.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { communicationWorkUnits } from '@cloudfit/contract/resources/communication-work-units.ts';
import { workUnitCommunicationActivities } from '@cloudfit/contract/resources/work-unit-communication-activities.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { displayNames } from '../../../auth/people-names.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { list } from '../../../resources/list.ts';
import { writeRecorded } from '../../../resources/record.ts';
import {
  servedCommunicationWorkUnits,
  servedWorkUnitCommunicationActivities,
  servedWorkUnitCommunications,
} from './communications.served.ts';
import type { Communication } from './communications.rules.ts';
import { writeHistory } from '../feed/history.ts';
import { internalAddress, queueInternalMail } from '../internal-mail.ts';
import { relate } from '../related/relate.ts';
import { followAnswer } from '../service-levels/unit-clocks.ts';
import { servedWorkUnitRelations } from '../related/relations.served.ts';

const referenceType = 'WorkUnitCommunication';

/** Returns the communication; throws 404 if the caller cannot see it, and 403 if they may not edit it. */
async function editable(ctx: Ctx, id: number): Promise<Communication> {
  const communication = await get(ctx, servedWorkUnitCommunications, id);
  requirePermission(ctx, 'WorkUnitCommunications', 'edit', communication.tenantId);
  requirePermission(ctx, 'WorkUnits', 'view', communication.tenantId);
  return communication;
}

/** Returns the query for the rows that belong to a communication. */
const filterText = (of: typeof communicationWorkUnits | typeof workUnitCommunicationActivities, id: number): string =>
  queryText({ filter: eq(of, 'workUnitCommunicationId', id), top: 1_000 });

const workUnitsOf = async (ctx: Ctx, id: number): Promise<Row<typeof communicationWorkUnits>[]> =>
  (await list(ctx, servedCommunicationWorkUnits, filterText(communicationWorkUnits, id))).value;

const link = implement(linkWorkUnits, (ctx, { wucommId, workunitIds }) =>
  inTransaction(ctx, async (ctx) => {
    const { tenantId, publicWorkUnitCommunicationId, isPublic } = await editable(ctx, wucommId);
    const units = await ctx.db.query<{ id: number; linked: boolean }>({
      text: `select work_unit_id as id, exists (select from work_unit_relation r where r.work_unit_id = w.work_unit_id and r.communication_id = $2) as linked
        from work_unit w where work_unit_id = any($1::bigint[]) and tenant_id = $3 order by work_unit_id`,
      values: [workunitIds, wucommId, tenantId],
    });
    const missing = workunitIds.filter((id) => !units.some((unit) => unit.id === id));
    if (missing.length > 0)
      throw validationFailed([{ target: 'workunitIds', message: `Work unit ${missing.slice(0, 5).join(', ')} was not found.` }]);
    const added = units
      .filter((unit) => !unit.linked)
      .map(({ id }) => ({ workUnitId: id, tenantId, referenceType, referenceId: String(wucommId) }));
    await relate(ctx, added);
    for (const unit of added)
      await writeHistory(ctx, unit, [{ historyType: 'WorkUnitEvent', detail: `Linked to WUCOMM #${publicWorkUnitCommunicationId}.` }]);
    if (isPublic)
      await followAnswer(
        ctx,
        added.map(({ workUnitId }) => workUnitId),
      );
    return { value: await workUnitsOf(ctx, wucommId) };
  }),
);

const unlink = implement(unlinkWorkUnit, (ctx, { wucommId, workunitId }) =>
  inTransaction(ctx, async (ctx) => {
    const { tenantId, publicWorkUnitCommunicationId } = await editable(ctx, wucommId);
    const [relation] = (
      await list(
        ctx,
        servedWorkUnitRelations,
        queryText({
          filter: and(
            eq(workUnitRelations, 'workUnitId', workunitId),
            eq(workUnitRelations, 'referenceType', referenceType),
            eq(workUnitRelations, 'referenceId', wucommId),
          ),
        }),
      )
    ).value;
    if (!relation) throw notFound('Related Work Unit');
    const write = sql`delete from work_unit_relation where work_unit_relation_id = ${relation.workUnitRelationId} returning *`;
    await writeRecorded(ctx, servedWorkUnitRelations, 'delete', write, relation);
    await writeHistory(ctx, { workUnitId: workunitId, tenantId }, [
      { historyType: 'WorkUnitEvent', detail: `No longer linked to WUCOMM #${publicWorkUnitCommunicationId}.` },
    ]);
  }),
);

interface ReportDelivery {
  /** Whether this report goes to this address for the first time. */
  first: boolean;
  /** Whether the mail with this report waits in the outbox. */
  isKept: boolean;
}

/**
 * Records that this report goes to this address with this mail. If the report was sent to the address before, returns the state
 * of the earlier mail.
 */
async function remember(
  ctx: Ctx,
  { workUnitCommunicationId, tenantId }: Communication,
  messageId: string,
  content: readonly string[],
): Promise<ReportDelivery> {
  const values = [workUnitCommunicationId, tenantId, createHash('sha256').update(JSON.stringify(content)).digest('hex')];
  const added = await ctx.db.query({
    text: `insert into communication_notification (work_unit_communication_id, tenant_id, content_digest, message_id) values ($1, $2, $3, $4)
      on conflict do nothing returning 1`,
    values: [...values, messageId],
  });
  if (added.length > 0) return { first: true, isKept: false };
  const [before] = await ctx.db.query<{ is_kept: boolean }>({
    text: `select exists (select from outbox_message o where o.message_id = n.message_id) as is_kept from communication_notification n
      where work_unit_communication_id = $1 and tenant_id = $2 and content_digest = $3`,
    values,
  });
  return { first: false, isKept: before?.is_kept ?? false };
}

const keptMessage = 'Internal Notification kept, not sent: no mail server is set.';

async function reportOf(ctx: Ctx, communication: Communication, workUnits: readonly Row<typeof communicationWorkUnits>[]): Promise<Report> {
  const id = communication.workUnitCommunicationId;
  const [tenant] = await ctx.db.query<{ name: string }>({
    text: 'select name from tenant where tenant_id = $1',
    values: [communication.tenantId],
  });
  const steps = await list(ctx, servedWorkUnitCommunicationActivities, filterText(workUnitCommunicationActivities, id));
  const nameOf = await displayNames(ctx.db, communication.tenantId, [
    communication.userChangedBy,
    communication.serviceManager,
    ...workUnits.map((unit) => unit.assignedTo),
  ]);
  return communicationReport('InternalReport', {
    communication,
    tenantName: tenant?.name ?? '',
    activities: steps.value,
    workUnits,
    nameOf,
  });
}

interface NotifyAnswer extends Record<string, unknown> {
  message: string;
  to: string;
  repeated: boolean;
  isKept: boolean;
}

async function notify(ctx: Ctx, { wucommId }: { wucommId: number }, mailServerIsSet: boolean): Promise<NotifyAnswer> {
  return inTransaction(ctx, async (ctx) => {
    const communication = await editable(ctx, wucommId);
    const { tenantId } = communication;
    const workUnits = await workUnitsOf(ctx, wucommId);
    const report = await reportOf(ctx, communication, workUnits);
    const to = await internalAddress(ctx, tenantId);
    if (!to)
      throw validationFailed([
        { target: 'internalNotificationEmailAddress', message: 'The tenant has no address for internal notifications.' },
      ]);
    const messageId = randomUUID();
    const remembered = await remember(ctx, communication, messageId, [to, report.subject, report.text]);
    const isKept = remembered.first ? !mailServerIsSet : remembered.isKept;
    const answer = { message: isKept ? keptMessage : 'Internal Notification sent.', to, repeated: !remembered.first, isKept };
    if (!remembered.first) return answer;
    await queueInternalMail(ctx, tenantId, { write: () => report, messageId, workUnitIds: workUnits.map((unit) => unit.workUnitId) });
    await recordAudit(ctx.db, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'notify',
      entity: 'workUnitCommunications',
      entityId: String(wucommId),
      tenantId,
      after: { to },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    return answer;
  });
}

/** Without `mailServerIsSet`, mails wait in the outbox, and the answers say so. */
export function communicationActions({ mailServerIsSet }: { mailServerIsSet: boolean }): readonly ImplementedAction[] {
  return [
    link,
    unlink,
    implement(sendInternalNotification, (ctx, input) => notify(ctx, input, mailServerIsSet)),
    implement(postInternalNotification, (ctx, input) => notify(ctx, input, mailServerIsSet)),
  ];
}
