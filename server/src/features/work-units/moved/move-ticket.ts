/**
 * Takes a ticket of another program as a work unit with its history. Nobody is told: no messages, steps of protocols, clocks of
 * service levels or events follow from what happened elsewhere.
 */
import { ticketSchema, type Ticket, type TicketNote } from '@cloudfit/contract/configuration/tickets.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { isInvisible, linesPattern, normalText, oneLine, startOf } from '@cloudfit/contract/one-line.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { grantsOfPerson } from '../../../auth/grants.ts';
import { inTransaction, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { create } from '../../../resources/create.ts';
import { loadRows } from '../../../resources/get.ts';
import { isTenantInScope } from '../../../resources/references.ts';
import type { Served } from '../../../resources/served.ts';
import { update } from '../../../resources/update.ts';
import { assigneeProblem } from '../assignee.ts';
import { writeHistory } from '../feed/history.ts';
import { isEnded, type WorkUnitRow } from '../state.rules.ts';
import { servedWorkUnitNotes, servedWorkUnits } from '../work-units.served.ts';

const maxText = 4_000;
const maxTitle = 500;

type MovedValues = Partial<WorkUnitRow>;

/** Work units without what follows from a change here; `values` are what the server sets otherwise. */
export function movedUnits(values: MovedValues): typeof servedWorkUnits {
  const { fill: _fill, check: _check, along: _along, needsAfter: _needsAfter, after: _after, ...served } = servedWorkUnits;
  return { ...served, fill: () => values };
}

function movedNotes(values: Partial<Row<typeof workUnitNotes>>): Served<typeof workUnitNotes> {
  const { fill: _fill, after: _after, ...served } = servedWorkUnitNotes;
  return { ...served, fill: () => values };
}

/** The text without characters that no field takes, such as those that control terminals. */
function readable(text: string): string {
  const normal = normalText(text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'));
  return linesPattern.test(normal) ? normal : Array.from(normal, (character) => (linesPattern.test(character) ? character : '')).join('');
}

const line = (text: string, max: number): string => startOf(oneLine(readable(text)), max).trim();

/** Parts of at most `maxText` characters, split between lines where that is possible. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > maxText) {
    const newline = rest.lastIndexOf('\n', maxText);
    const at = newline > maxText / 2 ? newline : maxText;
    parts.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
  }
  return [...parts, rest].filter((part) => part !== '' && !isInvisible(part));
}

interface AccountRow {
  name: string;
  user_name: string;
  email: string | null;
  /** Whether the person has rights in the tenant of the ticket. */
  isHere: boolean;
}

/**
 * Sign-in names of the people who are called so there: by address, sign-in name, or a name that one person alone has of those with rights in
 * the tenant, because people of other customers have the same names.
 */
async function accountsOf(ctx: Ctx, tenantId: string, names: readonly string[]): Promise<(name: string) => string | undefined> {
  const texts = [...new Set(names.map((name) => name.toLowerCase()))];
  const people = await ctx.db.query<AccountRow>({
    name: 'accounts-of-tickets',
    text: `select p.name, p.user_name, p.email, exists (
        select from access_grant g where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = $2::uuid)) as "isHere" from person p
      where lower(p.user_name) = any($1::text[]) or lower(p.email) = any($1::text[]) or lower(p.name) = any($1::text[])`,
    values: [texts, tenantId],
  });
  return (name) => {
    const text = name.toLowerCase();
    const byAddress = people.find((person) => person.user_name.toLowerCase() === text || person.email?.toLowerCase() === text);
    const byName = people.filter((person) => person.isHere && person.name.toLowerCase() === text);
    return (byAddress ?? (byName.length === 1 ? byName[0] : undefined))?.user_name;
  };
}

interface NoteToAdd {
  at: string;
  by: string;
  detail: string;
  isExternal: boolean;
  isFromCustomer: boolean;
}

/** The notes of the unit: long ones in parts, before them what the description and title have no room for. */
function notesOf(ticket: Ticket, by: (author: string) => string): NoteToAdd[] {
  const first = {
    at: ticket.created,
    author: ticket.requesterEmail ?? ticket.requester ?? ticket.source,
    isExternal: false,
    isFromCustomer: false,
  };
  const over: TicketNote[] = [
    ...(ticket.title.length > maxTitle ? [{ ...first, text: ticket.title }] : []),
    ...partsOf(readable(ticket.description ?? ''))
      .slice(1)
      .map((text) => ({ ...first, text })),
    ...partsOf(readable(ticket.resolution ?? ''))
      .slice(1)
      .map((text) => ({ ...first, at: ticket.closed ?? ticket.created, text })),
  ];
  const notes = [...over, ...ticket.notes.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))];
  return notes.flatMap(({ at, author, text, isExternal, isFromCustomer }) =>
    partsOf(readable(text)).map((detail) => ({ at: new Date(at).toISOString(), by: by(author), detail, isExternal, isFromCustomer })),
  );
}

async function addNotes(ctx: Ctx, unit: Pick<WorkUnitRow, 'workUnitId' | 'tenantId'>, notes: readonly NoteToAdd[]): Promise<void> {
  for (const { at, by, detail, isExternal, isFromCustomer } of notes)
    await create(
      ctx,
      movedNotes({ tenantId: unit.tenantId, created: at, createdBy: by, correlationId: ctx.correlationId, isFromCustomer }),
      { workUnitId: unit.workUnitId, detail, isExternalNote: isExternal || isFromCustomer },
    );
}

interface MovedTicket {
  fields: MovedValues & { title: string };
  by: (author: string) => string;
  assignee: string;
}

/** The fields of the unit for the ticket. */
async function read(ctx: Ctx, ticket: Ticket): Promise<MovedTicket> {
  const { tenantId, assignee = '', group, category, number, url = '' } = ticket;
  const authors = ticket.notes.map(({ author }) => author);
  const account = await accountsOf(ctx, tenantId, [assignee, ticket.requesterEmail ?? '', ticket.requester ?? '', ...authors]);
  const name = assignee === '' ? undefined : (account(assignee) ?? assignee);
  const problem = name === undefined ? undefined : await assigneeProblem(ctx.db, tenantId, name);
  const [categoryRow] = category
    ? await ctx.db.query<{ id: string }>({
        name: 'category-of-ticket',
        text: 'select work_unit_category_id as id from work_unit_category where tenant_id = $1 and work_unit_type_id = $2 and lower(name) = lower($3)',
        values: [tenantId, workUnitType.incident, category],
      })
    : [];
  const title = line(ticket.title, maxTitle);
  const optional = (text: string | undefined, max: number): string | null => line(text ?? '', max) || null;
  return {
    by: (author) => account(author) ?? (line(author, 320) || ticket.source),
    assignee: problem === undefined ? '' : assignee,
    fields: {
      tenantId,
      title: title.length < 3 ? `${number}: ${title}` : title,
      description: partsOf(readable(ticket.description ?? ''))[0] ?? null,
      resolution: partsOf(readable(ticket.resolution ?? ''))[0] ?? null,
      stateId: ticket.stateId,
      severityId: ticket.severityId,
      workUnitTypeId: workUnitType.incident,
      referenceId: line(number, 200),
      referenceUrl: /^https?:\/\//i.test(url) ? url : null,
      assignedTo: problem === undefined && name !== undefined ? line(name, 320) : null,
      assignmentGroup: optional(group, 200),
      workUnitCategoryId: categoryRow?.id ?? null,
      category: categoryRow ? null : optional(category, 200),
      stakeHolderFullName: optional(ticket.requester, 200),
      stakeHolderEmailAddress: optional(ticket.requesterEmail, 320),
      stakeHolderPhoneNumber: optional(ticket.requesterPhone, 60),
    },
  };
}

const resolvedOf = ({ stateId, closed, updated, created }: Ticket): string | null =>
  isEnded(stateId) ? new Date(closed ?? updated ?? created).toISOString() : null;

const claim = `insert into work_unit_key (tenant_id, source, key) values ($1, $2, $3)
  on conflict (tenant_id, source, key) do update set key = excluded.key returning work_unit_id as "workUnitId"`;

interface TicketChange {
  verb: 'add' | 'change';
  key: number;
  name: string;
  fields: { field: string; before: unknown; after: unknown }[];
}

const namedNotes = (count: number): TicketChange['fields'] => (count > 0 ? [{ field: 'notes', before: null, after: count }] : []);

async function addUnit(ctx: Ctx, ticket: Ticket): Promise<TicketChange> {
  const { fields, by, assignee } = await read(ctx, ticket);
  const created = new Date(ticket.created).toISOString();
  const resolved = resolvedOf(ticket);
  const modified = new Date(ticket.updated ?? ticket.closed ?? ticket.created).toISOString();
  const set = {
    created,
    createdBy: by(ticket.requesterEmail ?? ticket.requester ?? ticket.source),
    modified,
    modifiedBy: ticket.source,
    resolved,
  };
  const unit = await create(ctx, movedUnits(set), fields);
  await ctx.db.query({
    text: 'update work_unit_key set work_unit_id = $4 where tenant_id = $1 and source = $2 and key = $3',
    values: [ticket.tenantId, ticket.source, ticket.number, unit.workUnitId],
  });
  const notes = notesOf(ticket, by);
  await addNotes(ctx, unit, notes);
  const wasAssigned = assignee === '' ? '' : ` It was assigned to ${line(assignee, 320)}, who may not work on it here.`;
  await writeHistory(ctx, unit, [
    { historyType: 'WorkUnitEvent', detail: `Imported from ${ticket.source}, where it is ${line(ticket.number, 200)}.${wasAssigned}` },
  ]);
  const shown = ['title', 'stateId', 'severityId', 'assignedTo', 'created'] as const;
  return {
    verb: 'add',
    key: unit.workUnitId,
    name: `${ticket.number} ${fields.title}`,
    fields: [...shown.flatMap((field) => (unit[field] ? [{ field, before: null, after: unit[field] }] : [])), ...namedNotes(notes.length)],
  };
}

/** Fields that follow the ticket until somebody changes the unit here. */
const followed = ['title', 'description', 'resolution', 'stateId', 'severityId', 'assignedTo', 'assignmentGroup'] as const;

/** What is new of a ticket that is here already; undefined when nothing is. */
async function changeUnit(ctx: Ctx, ticket: Ticket, unit: WorkUnitRow): Promise<TicketChange | undefined> {
  const { fields, by } = await read(ctx, ticket);
  const stored = await ctx.db.query<{ at: string | null; detail: string }>({
    name: 'notes-of-ticket',
    text: `select to_char(created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, detail from work_unit_note
      where work_unit_id = $1 and history_type is null`,
    values: [unit.workUnitId],
  });
  const here = new Set(stored.map(({ at, detail }) => `${at} ${detail}`));
  const notes = notesOf(ticket, by).filter(({ at, detail }) => !here.has(`${at} ${detail}`));
  await addNotes(ctx, unit, notes);
  const isUntouched = unit.modifiedBy === ticket.source;
  const changed = isUntouched ? followed.filter((field) => (fields[field] ?? null) !== unit[field]) : [];
  if (changed.length > 0) {
    const edit = Object.fromEntries(changed.map((field) => [field, fields[field] ?? null]));
    await update(ctx, movedUnits({ modifiedBy: ticket.source, resolved: resolvedOf(ticket) }), unit.workUnitId, edit);
  }
  if (changed.length + notes.length === 0) return undefined;
  return {
    verb: 'change',
    key: unit.workUnitId,
    name: `${ticket.number} ${fields.title}`,
    fields: [...changed.map((field) => ({ field, before: unit[field], after: fields[field] ?? null })), ...namedNotes(notes.length)],
  };
}

/** Does the work in the transaction of `ctx` without events for other systems. */
export async function quietly<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  const set = (value: 'on' | 'off') => ctx.db.query({ text: `select set_config('cloudfit.moving_in', $1, true)`, values: [value] });
  await set('on');
  const done = await work();
  await set('off');
  return done;
}

/** Adds the unit of the ticket, or what is new of it. Throws 400 for a ticket that cannot be read. */
export function moveTicket(ctx: Ctx, document: Record<string, unknown>): Promise<TicketChange | undefined> {
  const parsed = ticketSchema.safeParse(document);
  if (!parsed.success)
    throw validationFailed(
      parsed.error.issues.map(({ path, message }) => ({ target: path.join('.'), message: `${path.join('.')}: ${message}` })),
    );
  const { data: ticket } = parsed;
  if (!isTenantInScope(ctx, ticket.tenantId)) throw validationFailed([{ target: 'tenantId', message: 'Tenant was not found.' }]);
  // Notes have authors and times of elsewhere, which whoever may work on units alone cannot choose.
  requirePermission(ctx, 'Settings', 'edit', ticket.tenantId);
  return inTransaction(ctx, (ctx) =>
    quietly(ctx, async () => {
      const [key] = await ctx.db.query<{ workUnitId: string | number | null }>({
        text: claim,
        values: [ticket.tenantId, ticket.source, ticket.number],
      });
      if (!key?.workUnitId) return addUnit(ctx, ticket);
      const unit = (await loadRows(ctx, servedWorkUnits, [key.workUnitId])).get(String(key.workUnitId)) as WorkUnitRow | undefined;
      // A unit that was given to another tenant is that tenant's.
      return unit?.tenantId === ticket.tenantId ? changeUnit(ctx, ticket, unit) : undefined;
    }),
  );
}
