/**
 * The page behind the link in a message: what it shows of the work unit, and the acknowledgement, once, in the name of the
 * recipient.
 */
import type { Logger } from 'pino';
import { personOf, type AckTarget } from '../../platform/ack-links.ts';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { personAccess } from '../../auth/people.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { actorName, inTransaction, may, type Actor, type Ctx } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import { update } from '../../resources/update.ts';
import { writeHistory } from './feed/history.ts';
import { keepVisit } from './visits/visits.ts';
import { servedWorkUnits } from './work-units.served.ts';

export interface UnitOfLink {
  publicWorkUnitId: number;
  title: string;
  severityId: string;
  stateId: string;
  tenantName: string;
  /** Who acknowledged the unit last, and when. */
  acknowledgedBy: string | null;
  acknowledgedAt: string | null;
}

const unitText = `select w.public_work_unit_id as "publicWorkUnitId", w.title, w.severity_id as "severityId", w.state_id as "stateId", t.name as "tenantName",
  n.name as "acknowledgedBy", n.created as "acknowledgedAt"
from work_unit w join tenant t on t.tenant_id = w.tenant_id
left join lateral (
  select coalesce(p.name, h.created_by) as name, h.created
  from work_unit_note h left join person p on lower(p.user_name) = lower(h.created_by)
  where h.work_unit_id = w.work_unit_id and h.field = 'stateId' and h.new_value = 'Acknowledged' order by h.work_unit_note_id desc limit 1
) n on true
where w.work_unit_id = $1 and w.tenant_id = $2 and t.enabled`;

const personText = 'select person_id as id, claims, locale from person where email_verified and lower(email) = $1 limit 2';
const personById = 'select person_id as id, claims, locale from person where person_id::text = $1';

interface LinkedPerson {
  id: string;
  claims: string[] | null;
  locale: Locale | null;
}

/** The people whom a link names: one, unless an address belongs to nobody or to several. */
async function peopleOf({ db }: Ctx, { recipient }: AckTarget): Promise<LinkedPerson[]> {
  if (recipient === null) return [];
  const personId = personOf(recipient);
  return db.query<LinkedPerson>(
    personId === undefined ? { text: personText, values: [recipient] } : { text: personById, values: [personId] },
  );
}

export interface LinkedUnits {
  /** What the recipient of a link chose about language and region; undefined if it is not known who that is. */
  localeOf(target: AckTarget): Promise<Locale | undefined>;
  /**
   * Returns the unit of a link; undefined if the unit is deleted, moved or in a disabled tenant, or if the recipient is
   * disabled or may not edit units of that tenant now.
   */
  look(target: AckTarget): Promise<UnitOfLink | undefined>;
  /** Keeps that the link was opened. */
  opened(target: AckTarget): Promise<void>;
  /** Returns the unit after the call, and whether this call acknowledged it; undefined in the cases of `look`. */
  acknowledge(target: AckTarget, address: string): Promise<{ unit: UnitOfLink; isNew: boolean } | undefined>;
}

export function linkedUnits({ database, log }: { database: Database; log: Logger }): LinkedUnits {
  /** Returns in whose name the link acts; undefined for a person whose rights have ended since the message was sent. */
  async function actorOf(ctx: Ctx, target: AckTarget): Promise<Actor | undefined> {
    const { recipient, tenantId } = target;
    const [person, ...others] = await peopleOf(ctx, target);
    if (others.length > 0 || !person) {
      const mailedTo = recipient === null ? '' : ` mailed to ${recipient}`;
      return { kind: 'system', id: null, name: `Acknowledge link${mailedTo}`.slice(0, 200) };
    }
    const access = await personAccess(database.scoped('all'), { personId: person.id, groups: person.claims ?? [] }, []);
    return access?.enabled && may(access, permission('WorkUnits', 'edit'), tenantId) ? access.actor : undefined;
  }

  const systemOf = ({ tenantId }: AckTarget) => systemCtx({ database, log, name: 'Acknowledge link', tenants: [tenantId] });

  async function open(target: AckTarget, address?: string) {
    const system = systemOf(target);
    const actor = await actorOf(system, target);
    return actor && { ...system, actor, ...(address === undefined ? {} : { address }) };
  }

  async function unitOf({ db }: Ctx, { workUnitId, tenantId }: AckTarget): Promise<UnitOfLink | undefined> {
    const [unit] = await db.query<UnitOfLink>({ name: 'linked-unit', text: unitText, values: [workUnitId, tenantId] });
    return unit;
  }

  return {
    async localeOf(target) {
      const [person, ...others] = await peopleOf(systemOf(target), target);
      return others.length === 0 ? (person?.locale ?? undefined) : undefined;
    },
    async opened(target) {
      const ctx = await open(target);
      if (!ctx) return;
      const { workUnitId, tenantId, recipient } = target;
      const isPerson = ctx.actor.kind === 'person';
      const address = recipient === null || personOf(recipient) !== undefined ? '' : recipient;
      await keepVisit(ctx, { workUnitId, tenantId, way: 'link', personId: isPerson ? ctx.actor.id : null, address });
    },
    async look(target) {
      const ctx = await open(target);
      return ctx && unitOf(ctx, target);
    },
    async acknowledge(target, address) {
      const outside = await open(target, address);
      if (!outside || !(await unitOf(outside, target))) return undefined;
      return inTransaction(outside, async (ctx) => {
        const { workUnitId, tenantId, recipient } = target;
        let isNew = false;
        // Decided under the row lock, so that only one of two simultaneous calls acknowledges.
        await update(ctx, servedWorkUnits, workUnitId, (before) => {
          isNew = before.stateId === 'New';
          if (!isNew) return {};
          return { stateId: 'Acknowledged', ...(ctx.actor.kind === 'person' ? { assignedTo: ctx.actor.userName } : {}) };
        });
        if (isNew) {
          const mailedTo = recipient === null || personOf(recipient) !== undefined ? null : recipient;
          const detail =
            mailedTo === null ? 'Acknowledged by the link of a message.' : `Acknowledged by the link that was mailed to ${mailedTo}.`;
          await writeHistory(ctx, { workUnitId, tenantId }, [{ historyType: 'WorkUnitEvent', detail }]);
          await recordAudit(ctx.db, {
            actor: { ...ctx.actor, name: actorName(ctx) },
            verb: 'acknowledge',
            entity: 'workUnits',
            entityId: String(workUnitId),
            tenantId,
            after: { by: 'link', mailedTo },
            correlationId: ctx.correlationId,
            address: ctx.address,
          });
        }
        const unit = await unitOf(ctx, target);
        return unit && { unit, isNew };
      });
    },
  };
}
