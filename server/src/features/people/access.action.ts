/** Who has which access: grants of people, holders of permission sets, invitations by mail, and seeing as another person. */
import { randomUUID } from 'node:crypto';
import {
  accessOfPerson,
  changeGrant,
  grantChoices,
  holdersOfSet,
  invitationState,
  invitePerson,
  seeAsPerson,
} from '@cloudfit/contract/actions/people.ts';
import { ApiError, forbidden, tooManyRequests, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { invitations } from '@cloudfit/contract/resources/invitations.ts';
import { localeOf, readerAtAddress } from '../../context/locale.ts';
import { readerOf } from '../../platform/language.ts';
import { mailTextsFor } from '../../platform/mail-texts.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { escalationFaults } from '../../auth/escalation-faults.ts';
import { grantsOfPerson } from '../../auth/grants.ts';
import { beginImpersonation } from '../../auth/see-as.ts';
import { createInvitationToken, invitationDays } from '../../auth/sign-in/invitation.ts';
import { actorName, inTransaction, may, tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import { enqueue } from '../../jobs/queue.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { create } from '../../resources/create.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { get } from '../../resources/get.ts';
import { remove } from '../../resources/remove.ts';
import { servedGrants, servedPeople, servedPermissionSets } from './people.served.ts';
import { servedOf } from '../../resources/served.ts';

interface PersonGrantRow {
  grantId: string;
  claim: string | null;
  tenantId: string | null;
  tenantName: string | null;
  isOpen: boolean;
  permissionSetId: string;
  permissionSet: string;
  created: string;
  permissions: string[];
}

const viewPeople = permission('People', 'view');

/**
 * Returns the grants of a person that the caller may see. Global grants concern the tenants of every caller, so everybody who
 * sees the person sees these grants.
 */
async function grantsOf(ctx: Ctx, personId: string): Promise<PersonGrantRow[]> {
  const rows = await ctx.db.query<PersonGrantRow>({
    text: `select g.grant_id as "grantId", g.claim, g.tenant_id as "tenantId", t.name as "tenantName", coalesce(t.enabled, true) as "isOpen",
        g.permission_set_id as "permissionSetId", s.name as "permissionSet", g.created, s.permissions
      from person p join access_grant g on ${grantsOfPerson} join permission_set s using (permission_set_id)
      left join tenant t on t.tenant_id = g.tenant_id where p.person_id = $1 order by t.name collate natural_order nulls first, s.name collate natural_order, g.grant_id`,
    values: [personId],
  });
  return rows.filter((row) => row.tenantId === null || may(ctx, viewPeople, row.tenantId));
}

function problemOfEnding(ctx: Ctx, { tenantId, permissions }: PersonGrantRow): string | null {
  const needed = permission('People', 'delete');
  if (!may(ctx, needed, tenantId)) return `You do not have the permission ${needed} there.`;
  return escalationFaults(ctx, tenantId, permissions, 'permissionSetId', 'take away')[0]?.message ?? null;
}

const accessOf = implement(accessOfPerson, async (ctx, { id }) => {
  const { personId } = await get(ctx, servedPeople, id);
  const rows = await grantsOf(ctx, personId);
  const grants = rows.map((row) => {
    const { permissions: _permissions, ...grant } = row;
    return { ...grant, problem: problemOfEnding(ctx, row) };
  });
  const [person] = may(ctx, viewPeople, null)
    ? await ctx.db.query<{ claims: string[] | null }>({ text: 'select claims from person where person_id = $1', values: [personId] })
    : [];
  const groups = person?.claims ?? grants.flatMap(({ claim }) => claim ?? []);
  return { grants, groups: [...new Set(groups)].toSorted() };
});

const choices = implement(grantChoices, async (ctx, { tenantId }) => {
  if (tenantId !== undefined) requireTenant(ctx, tenantId);
  const needed = permission('People', 'create');
  const isAllowed = may(ctx, needed, tenantId ?? null);
  const sets = await ctx.db.query<{ permissionSetId: string; name: string; description: string | null; permissions: string[] }>({
    text: `select permission_set_id as "permissionSetId", name, description, permissions from permission_set
      where tenant_id is null or tenant_id = $1 order by tenant_id nulls last, name collate natural_order`,
    values: [tenantId ?? null],
  });
  return sets.map(({ permissions, ...set }) => {
    const beyond = escalationFaults(ctx, tenantId ?? null, permissions, 'permissionSetId')[0]?.message ?? null;
    return { ...set, problem: isAllowed ? beyond : `You do not have the permission ${needed} there.` };
  });
});

const change = implement(changeGrant, (outside, { id, permissionSetId }) =>
  inTransaction(outside, async (ctx) => {
    const { personId, claim, tenantId, permissionSetId: before } = await get(ctx, servedGrants, id, { lock: 'remove' });
    if (before === permissionSetId)
      throw new ApiError('ValidationFailed', 'The grant has this permission set already. Choose another one.', {
        target: 'permissionSetId',
      });
    const created = await create(ctx, servedOf(grants), { personId, claim, tenantId, permissionSetId }, { unlessExists: true });
    if (!created) throw new ApiError('Conflict', 'A grant with this permission set exists already. End one of the two grants.');
    await remove(ctx, servedOf(grants), id);
    return created;
  }),
);

const maxNames = 10;

const holders = implement(holdersOfSet, async (ctx, { id }) => {
  const { permissionSetId } = await get(ctx, servedPermissionSets, id);
  const scope = tenantScopeWith(ctx, [viewPeople]);
  // Row-level security hides grants and tokens of other tenants; this scope also hides those of tenants whose people the caller
  // may not view.
  const values = [permissionSetId, scope === 'all' ? null : [...scope]];
  const [row] = await ctx.db.query<{ people: number; names: string[]; groups: number; tokens: number }>({
    text: `with held as (
        select * from access_grant where permission_set_id = $1 and (tenant_id is null or $2::uuid[] is null or tenant_id = any($2::uuid[]))
      ), holder as (
        select p.person_id, p.name, bool_or(g.person_id is not null and g.tenant_id is not null) as is_seen
        from held g join person p on ${grantsOfPerson} and p.enabled group by p.person_id
      )
      select (select count(*) from holder)::int as people,
        array(select name from holder where is_seen or $2::uuid[] is null order by name collate natural_order limit ${maxNames}) as names,
        (select count(distinct claim) from held where claim is not null)::int as groups,
        (select count(*) from token_grant t where t.permission_set_id = $1 and t.revoked_on is null and (t.expires_on is null or t.expires_on > now())
          and ($2::uuid[] is null or t.tenant_id = any($2::uuid[])))::int as tokens`,
    values,
  });
  return row ?? { people: 0, names: [], groups: 0, tokens: 0 };
});

export interface InvitationParts {
  publicUrl: string;
  mailServerIsSet: boolean;
  oidc: { authority: string };
  database: Database;
}

interface InvitedPlace {
  tenant: string | null;
  permission_set: string;
  /** The tenant to which the mail belongs; for a grant for all tenants, the first tenant. */
  mail_tenant: string;
}

/**
 * Returns why the caller can invite nobody; undefined if they can. Without a mail server the sender gets the link, with which
 * they could themselves take an account with the address of somebody else: only people who may invite in all tenants do.
 */
function invitationProblem(ctx: Ctx, { publicUrl, mailServerIsSet, oidc }: InvitationParts): string | undefined {
  if (oidc.authority !== `${publicUrl}/idp`)
    return `People sign in at ${oidc.authority}. They appear here after their first sign-in; give their group access before.`;
  return mailServerIsSet || may(ctx, permission('People', 'create'), null)
    ? undefined
    : 'No mail server is set (SMTP_URL), so no invitation can be sent. An administrator of all tenants gets a link to pass on.';
}

const state = (parts: InvitationParts) =>
  implement(invitationState, (ctx) => {
    const problem = invitationProblem(ctx, parts) ?? null;
    return { problem, byLink: problem === null && !parts.mailServerIsSet };
  });

/** Invitations of one person, and into one tenant, within a day: enough for a new team, too few for a relay of mail. */
const invitationsADay = 100;

async function requireFewInvitations(ctx: Ctx, tenantId: string | null): Promise<void> {
  const [recent] = await ctx.db.query<{ count: number }>({
    text: `select greatest(count(distinct coalesce(link_hash, token_hash)) filter (where invited_by_id = $1), count(distinct coalesce(link_hash, token_hash)) filter (where tenant_id is not distinct from $2))::int as count
      from invitation where created > $3::timestamptz - interval '1 day'`,
    values: [ctx.actor.id, tenantId, ctx.now().toISOString()],
  });
  if (recent && recent.count >= invitationsADay)
    throw tooManyRequests(
      `${invitationsADay} invitations were sent within a day, the most that is possible. Invite further people tomorrow.`,
      3_600,
    );
}

interface GivenPlace {
  permissionSetId: string;
  tenantId?: string | null | undefined;
  /** Without a tenant: the set in each tenant, except in these. */
  except?: readonly string[] | undefined;
}

interface InvitedTo extends GivenPlace {
  email: string;
  name: string;
  /** Further places, which the same link accepts. */
  also?: readonly GivenPlace[];
}

const placeOf = `select t.name as tenant, s.name as permission_set, coalesce(t.tenant_id, (select tenant_id from tenant order by created limit 1)) as mail_tenant
  from permission_set s left join tenant t on t.tenant_id = $2 where s.permission_set_id = $1`;

/** A place for each tenant that is not excepted, of those that the caller may see; other places as they are. */
async function tenantsOfPlace(ctx: Ctx, place: GivenPlace, at: string): Promise<GivenPlace[]> {
  const { permissionSetId, tenantId, except = [] } = place;
  const fault = (message: string) => validationFailed([{ target: `${at}except`, message }]);
  if (except.length === 0) return [place];
  if (tenantId) throw fault('Tenants are excepted from all tenants only. Leave out the tenant, or what is excepted.');
  const rows = await ctx.db.query<{ id: string; isOpen: boolean }>({
    text: 'select tenant_id as id, enabled as "isOpen" from tenant order by name, tenant_id',
  });
  const missing = except.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw fault('Tenant was not found.');
  const left = rows.filter(({ id, isOpen }) => isOpen && !except.includes(id));
  if (left.length === 0) throw fault('No tenant is left. Except fewer tenants.');
  return left.map(({ id }) => ({ permissionSetId, tenantId: id }));
}

/** Invites somebody: writes an invitation for each place, and queues one mail for all, or answers the link. */
export function inviteSomebody(
  parts: InvitationParts,
  outside: Ctx,
  { email, name, also = [], ...first }: InvitedTo,
): Promise<Row<typeof invitations> & { link?: string }> {
  return inTransaction(outside, async (ctx) => {
    if (ctx.actor.kind === 'device') throw forbidden('Only people and tokens can invite.');
    const problem = invitationProblem(ctx, parts);
    const byLink = !parts.mailServerIsSet;
    if (problem !== undefined) throw new ApiError('Conflict', problem);
    const { token, hash } = createInvitationToken();
    const rows: Row<typeof invitations>[] = [];
    const places: InvitedPlace[] = [];
    const all: GivenPlace[] = [];
    for (const [at, place] of [first, ...also].entries())
      for (const one of await tenantsOfPlace(ctx, place, at === 0 ? '' : `also[${at - 1}].`))
        if (
          !all.some(
            ({ permissionSetId, tenantId }) => permissionSetId === one.permissionSetId && (tenantId ?? null) === (one.tenantId ?? null),
          )
        )
          all.push(one);
    for (const { permissionSetId, tenantId = null } of all) {
      await requireFewInvitations(ctx, tenantId);
      const columns = {
        // Each row needs a hash of its own; that of the link is common to all.
        token_hash: rows.length === 0 ? hash : createInvitationToken().hash,
        link_hash: hash,
        by_link: byLink,
        invited_by: actorName(ctx),
        invited_by_kind: ctx.actor.kind,
        invited_by_id: ctx.actor.id ?? randomUUID(),
        expires_on: new Date(ctx.now().getTime() + invitationDays * 86_400_000).toISOString(),
      };
      rows.push(await create(ctx, servedOf(invitations), { email, name, permissionSetId, tenantId }, { columns }));
      const [place] = await ctx.db.query<InvitedPlace>({ text: placeOf, values: [permissionSetId, tenantId] });
      if (!place) throw new ApiError('Conflict', 'The permission set was removed in the meantime.');
      places.push(place);
    }
    const [row] = rows;
    const [place] = places;
    if (!row || !place) throw new ApiError('InternalError', 'Nobody was invited.');
    const path = `/idp/invitation/${token}`;
    if (byLink) {
      for (const one of rows)
        await recordAudit(ctx.db, {
          actor: { ...ctx.actor, name: actorName(ctx) },
          verb: 'readInvitationLink',
          entity: 'invitations',
          entityId: String(one.invitationId),
          tenantId: one.tenantId,
          correlationId: ctx.correlationId,
          address: ctx.address,
        });
      return { ...row, link: `${parts.publicUrl}${path}` };
    }
    // Whoever is not here yet probably speaks as the person who invites them.
    const { language } = readerOf(await localeOf(ctx.db, ctx.actor.kind === 'person' ? ctx.actor.id : null), ctx.language);
    const mail = mailTextsFor(await readerAtAddress(ctx.db, email, language)).invitation;
    await enqueue(ctx.db, {
      name: 'send-mail',
      payload: {
        messageId: randomUUID(),
        tenantId: place.mail_tenant,
        to: email,
        subject: mail.subject(ctx.actor.name).replaceAll(/[\r\n]+/g, ' '),
        text: mail.text(
          name,
          ctx.actor.name,
          places.map(({ tenant, permission_set: permissionSet }) => mail.place(tenant, permissionSet)),
          invitationDays,
        ),
        link: path,
      },
      tenantId: place.mail_tenant,
      correlationId: ctx.correlationId,
    });
    return row;
  });
}

const invite = (parts: InvitationParts) => implement(invitePerson, (ctx, person) => inviteSomebody(parts, ctx, person));

const see = ({ database }: InvitationParts) => implement(seeAsPerson, (ctx, { id }) => beginImpersonation(ctx, database, id));

export const accessActions = (parts: InvitationParts): readonly ImplementedAction[] => [
  accessOf,
  choices,
  change,
  holders,
  state(parts),
  invite(parts),
  see(parts),
];
