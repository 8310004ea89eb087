/** Work units of a communication, and its mail to staff. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import {
  linkWorkUnits,
  postInternalNotification,
  sendInternalNotification,
  unlinkWorkUnit,
} from '@cloudfit/contract/actions/communications.ts';
import { communicationReport, type Report } from '@cloudfit/contract/communications/report.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { communicationWorkUnits } from '@cloudfit/contract/resources/communication-work-units.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { implement, type Implemented } from '../../../resources/action.ts';
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
import { servedWorkUnitRelations } from '../related/relations.served.ts';

const referenceType = 'WorkUnitCommunication';

/** The communication, which the caller may edit; 404 outside the scope. */
async function editable(ctx: Ctx, id: number): Promise<Communication> {
  const communication = await get(ctx, servedWorkUnitCommunications, id);
  requirePermission(ctx, 'WorkUnitCommunications', 'edit', communication.tenantId);
  requirePermission(ctx, 'WorkUnits', 'view', communication.tenantId);
  return communication;
}

const workUnitsOf = async (ctx: Ctx, id: number): Promise<Row<typeof communicationWorkUnits>[]> =>
  (await list(ctx, servedCommunicationWorkUnits, `$filter=workUnitCommunicationId eq ${id}&$top=1000`)).value;

const link = implement(linkWorkUnits, (ctx, { wucommId, workunitIds }) =>
  inTransaction(ctx, async (ctx) => {
    const { tenantId, publicWorkUnitCommunicationId } = await editable(ctx, wucommId);
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
        `$filter=workUnitId eq ${workunitId} and referenceType eq '${referenceType}' and referenceId eq '${wucommId}'`,
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

/** Remembers that this report goes to this address; false when it went there before. */
async function isFirst(ctx: Ctx, { workUnitCommunicationId, tenantId }: Communication, content: readonly string[]): Promise<boolean> {
  const rows = await ctx.db.query({
    text: `insert into communication_notification (work_unit_communication_id, tenant_id, content_digest) values ($1, $2, $3)
      on conflict do nothing returning 1`,
    values: [workUnitCommunicationId, tenantId, createHash('sha256').update(JSON.stringify(content)).digest('hex')],
  });
  return rows.length > 0;
}

async function reportOf(ctx: Ctx, communication: Communication): Promise<Report> {
  const id = communication.workUnitCommunicationId;
  const [tenant] = await ctx.db.query<{ name: string }>({
    text: 'select name from tenant where tenant_id = $1',
    values: [communication.tenantId],
  });
  const steps = await list(ctx, servedWorkUnitCommunicationActivities, `$filter=workUnitCommunicationId eq ${id}&$top=1000`);
  return communicationReport('InternalReport', {
    communication,
    tenantName: tenant?.name ?? '',
    activities: steps.value,
    workUnits: await workUnitsOf(ctx, id),
  });
}

async function notify(ctx: Ctx, { wucommId }: { wucommId: number }): Promise<{ message: string; to: string; repeated: boolean }> {
  return inTransaction(ctx, async (ctx) => {
    const communication = await editable(ctx, wucommId);
    const { tenantId } = communication;
    const report = await reportOf(ctx, communication);
    const to = await internalAddress(ctx, tenantId);
    if (!to)
      throw validationFailed([
        { target: 'internalNotificationEmailAddress', message: 'The tenant has no address for internal notifications.' },
      ]);
    const message = 'Internal Notification sent.';
    if (!(await isFirst(ctx, communication, [to, report.subject, report.text]))) return { message, to, repeated: true };
    await queueInternalMail(ctx, tenantId, report);
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
    return { message, to, repeated: false };
  });
}

export const communicationActions: readonly Implemented[] = [
  link,
  unlink,
  implement(sendInternalNotification, notify),
  implement(postInternalNotification, notify),
];
