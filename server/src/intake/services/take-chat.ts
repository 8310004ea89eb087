/**
 * Does what people press and write in a chat, in their name and by their rights. A user of a chat is the person who has connected them with
 * themselves, or else the only one with the e-mail address that the chat has verified. Anybody else gets a link by which they connect. Why
 * something was refused, that user alone reads.
 */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { chatLinkMinutes } from '@cloudfit/contract/events/chat-accounts.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { personAccess } from '../../auth/people.ts';
import { inTransaction, may, type Ctx } from '../../context/ctx.ts';
import { offerConnection, personOfChatUser, type ChatUserKey } from '../../features/people/chat-accounts.ts';
import { writeHistory } from '../../features/work-units/feed/history.ts';
import { isEnded, type WorkUnitRow } from '../../features/work-units/state.rules.ts';
import { servedWorkUnitNotes, servedWorkUnits } from '../../features/work-units/work-units.served.ts';
import type { Database } from '../../db/connection.ts';
import { create } from '../../resources/create.ts';
import { get } from '../../resources/get.ts';
import { update } from '../../resources/update.ts';
import type { ButtonCall, ChatCaller, ReplyCall } from '../../automation/services/read-call.ts';
import type { CallService, Chat, PrivateMessage } from '../../automation/services/service.ts';
import { longestEntry, noteOf } from '../../automation/services/words.ts';
import { isFirstCall, notToldAgain, type ServiceOrigin } from './take-ticket.ts';

interface ChatOrigin extends ServiceOrigin {
  chat: Chat;
  call: CallService;
  /** The address of the chat. */
  address: string;
  /** Where the chat calls back. */
  callUrl: string;
  publicUrl: string;
}

/** Says why nothing was done, to the person who pressed or wrote. */
class NotDone extends Error {
  readonly connectUrl: string | undefined;
  constructor(message: string, connectUrl?: string) {
    super(message);
    this.connectUrl = connectUrl;
  }
}

const personText = 'select person_id as id, claims from person where email_verified and lower(email) = lower($1) limit 2';

interface ChatPerson {
  id: string;
  claims: string[] | null;
}

interface Unknown {
  why: string;
  name: string | undefined;
  email?: string;
  isBot?: boolean;
}

/** The one person with the address that the chat has for a user, or why there is none. */
async function personOfAddress(database: Database, { service, chat, call }: ChatOrigin, user: string): Promise<ChatPerson | Unknown> {
  let facts: Awaited<ReturnType<Chat['userOf']>>;
  try {
    facts = await chat.userOf(user, call);
  } catch (error) {
    return { why: `CloudFit could not ask ${service} who you are: ${messageOf(error)} ${chat.hint}`, name: undefined };
  }
  const { email, name, isBot } = facts;
  if (email === undefined)
    return { why: `${service} does not tell CloudFit your e-mail address, so it does not know who you are. ${chat.hint}`, name, isBot };
  const people = await database.scoped('all').query<ChatPerson>({ name: 'chat-person', text: personText, values: [email] });
  const [person] = people;
  if (person && people.length === 1) return person;
  const why = person ? 'Several people in CloudFit have' : 'Nobody in CloudFit has';
  return { why: `${why} the verified address ${email}.`, name, email };
}

/** The address of the page where a user connects themselves; undefined for who cannot. */
async function connectUrlOf(
  system: Ctx,
  origin: ChatOrigin,
  from: ChatCaller,
  { name, email, isBot }: Unknown,
): Promise<string | undefined> {
  if (isBot) return undefined;
  const host = URL.parse(origin.address)?.hostname ?? origin.address;
  const about = { workspaceName: from.teamName || from.team || host, userName: from.userName || name || from.user, email };
  const token = await offerConnection(system.db, keyOf(origin, from), about);
  return token === undefined ? undefined : `${origin.publicUrl}/notifications?connect=${token}`;
}

const keyOf = ({ tenantId, service, address }: ChatOrigin, { user, team = '' }: ChatCaller): ChatUserKey => ({
  tenantId,
  service,
  workspace: `${address} ${team}`.trim(),
  user,
});

/** The ctx of the person behind a user of the chat. */
async function actingPerson(system: Ctx, database: Database, origin: ChatOrigin, from: ChatCaller): Promise<Ctx> {
  const { tenantId, service } = origin;
  const connected = await personOfChatUser(system.db, keyOf(origin, from));
  const person = connected ?? (await personOfAddress(database, origin, from.user));
  const isUnknown = 'why' in person;
  const access = isUnknown
    ? undefined
    : await personAccess(database.scoped('all'), { personId: person.id, groups: person.claims ?? [] }, []);
  if (!access?.enabled || !may(access, permission('WorkUnits', 'edit'), tenantId)) {
    const why = isUnknown ? person.why : 'You may not edit work units of this customer in CloudFit. Ask an administrator for that right.';
    if (connected) throw new NotDone(`${why} You are connected with CloudFit as ${connected.userName}.`);
    const connectUrl = await connectUrlOf(system, origin, from, isUnknown ? person : { why, name: undefined });
    const whom = isUnknown ? 'yours in CloudFit' : 'another one of yours in CloudFit';
    const how = connectUrl
      ? ` Or connect this account of ${service} with ${whom} within ${chatLinkMinutes} minutes, then press again.`
      : '';
    throw new NotDone(`${why}${how}`, connectUrl);
  }
  const { actor, permissions, tenants } = access;
  return { ...system, actor, permissions, tenants, db: database.scoped(tenants) };
}

const linked = `select l.work_unit_id as id from unit_link l join work_unit w on w.work_unit_id = l.work_unit_id and w.tenant_id = l.tenant_id
where l.event_subscription_id = $1 and l.remote_key = $2`;

async function unitOfMessage({ db }: Ctx, { eventSubscriptionId }: ChatOrigin, linkKey: string): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>({ name: 'chat-unit', text: linked, values: [eventSubscriptionId, linkKey] });
  return row?.id;
}

const done = { acknowledge: 'Acknowledged', assign: 'Assigned', resolve: 'Resolved' } as const;

/** What a resolved unit has as its resolution: what was entered, what it has already, or where it was resolved. */
const resolutionOf = ({ entered }: ButtonCall, { resolution }: WorkUnitRow, service: string): string =>
  [entered, resolution].map((text) => text?.trim() ?? '').find((text) => text !== '') ?? `Resolved in ${service}.`;

function editOf(button: ButtonCall, unit: WorkUnitRow, userName: string, service: string): Partial<WorkUnitRow> {
  const { deed } = button;
  const { stateId, assignedTo, publicWorkUnitId: id } = unit;
  if (isEnded(stateId)) throw new NotDone(`#${id} is ${stateId} already.`);
  if (deed === 'assign') {
    if (assignedTo?.toLowerCase() === userName.toLowerCase()) throw new NotDone(`#${id} is assigned to you already.`);
    return { assignedTo: userName };
  }
  if (deed === 'resolve') return { stateId: 'Resolved', resolution: resolutionOf(button, unit, service) };
  if (stateId !== 'New') throw new NotDone(`#${id} is ${stateId} already, assigned to ${assignedTo ?? 'nobody'}.`);
  return { stateId: 'Acknowledged', ...(assignedTo === null ? { assignedTo: userName } : {}) };
}

async function press(ctx: Ctx, origin: ChatOrigin, button: ButtonCall, workUnitId: number): Promise<void> {
  const userName = ctx.actor.kind === 'person' ? ctx.actor.userName : '';
  await inTransaction(ctx, async (ctx) => {
    if (!(await isFirstCall(ctx, origin, button.callKey))) return;
    const unit = await get(ctx, servedWorkUnits, workUnitId, { lock: 'edit' });
    const edit = editOf(button, unit, userName, origin.service);
    // A person acknowledges before they resolve; both are changes that protocols see.
    if (edit.stateId === 'Resolved' && unit.stateId === 'New')
      await update(ctx, servedWorkUnits, workUnitId, {
        stateId: 'Acknowledged',
        ...(unit.assignedTo === null ? { assignedTo: userName } : {}),
      });
    await update(ctx, servedWorkUnits, workUnitId, edit);
    await writeHistory(ctx, unit, [{ historyType: 'WorkUnitEvent', detail: `${done[button.deed]} in ${origin.service}.` }]);
  });
}

/** Asks how the unit was resolved; returns false where no dialog can be opened, so that it is resolved without a text. */
async function opensDialog(
  ctx: Ctx,
  { chat, call, service, callUrl }: ChatOrigin,
  button: ButtonCall,
  workUnitId: number,
): Promise<boolean> {
  const { deed, trigger, entered, linkKey } = button;
  if (deed !== 'resolve' || !trigger || entered !== undefined) return false;
  const unit = await get(ctx, servedWorkUnits, workUnitId);
  // Who presses too late reads so at once, and not after typing.
  editOf(button, unit, '', service);
  const question = { trigger, linkKey, workUnitId, title: `#${unit.publicWorkUnitId} ${unit.title}`, callUrl };
  try {
    await chat.ask({ ...question, resolution: startOf(unit.resolution ?? '', longestEntry) }, call);
    return true;
  } catch (error) {
    ctx.log.warn({ err: error }, 'A chat did not open a dialog.');
    return false;
  }
}

async function writeReply(ctx: Ctx, origin: ChatOrigin, reply: ReplyCall, workUnitId: number): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    if (!(await isFirstCall(ctx, origin, reply.callKey))) return;
    await notToldAgain(ctx, origin);
    await create(ctx, servedWorkUnitNotes, { workUnitId, detail: noteOf(reply.text, origin.service), isExternalNote: false });
  });
}

/** Returns what the user is to read; undefined when what they did is done. */
async function refusalOf(
  system: Ctx,
  database: Database,
  origin: ChatOrigin,
  from: ButtonCall | ReplyCall,
  linkKey: string,
): Promise<PrivateMessage | undefined> {
  const workUnitId = await unitOfMessage(system, origin, linkKey);
  if (workUnitId === undefined || (from.kind === 'button' && from.workUnitId !== workUnitId))
    // Most threads of a channel are about something else.
    return from.kind === 'reply' ? undefined : { text: 'This message belongs to no work unit any more.', connectUrl: undefined };
  try {
    const ctx = await actingPerson(system, database, origin, from);
    if (from.kind === 'button') {
      if (!(await opensDialog(ctx, origin, from, workUnitId))) await press(ctx, origin, from, workUnitId);
    } else if (from.text.trim() !== '') await writeReply(ctx, origin, from, workUnitId);
    return undefined;
  } catch (error) {
    const why =
      error instanceof NotDone
        ? error.message
        : error instanceof ApiError && error.status < 500
          ? (error.details[0]?.message ?? error.message)
          : undefined;
    if (why === undefined) throw error;
    const text = from.kind === 'reply' ? `Your message was not added to the work unit. ${why}` : why;
    return { text, connectUrl: error instanceof NotDone ? error.connectUrl : undefined };
  }
}

/** The thread of a post; undefined also when the chat does not answer. */
async function threadOf({ log }: Ctx, { chat, call }: ChatOrigin, postId: string): Promise<string | undefined> {
  try {
    return await chat.threadOf?.(postId, call);
  } catch (error) {
    log.warn({ err: error }, 'A chat did not say to which thread a post belongs.');
    return undefined;
  }
}

export async function takeChat(system: Ctx, database: Database, origin: ChatOrigin, from: ButtonCall | ReplyCall): Promise<object> {
  const { chat, call } = origin;
  const linkKey = from.linkKey ?? (from.kind === 'reply' && from.postId ? await threadOf(system, origin, from.postId) : undefined);
  if (linkKey === undefined) return chat.answer(undefined);
  const message = await refusalOf(system, database, origin, from, linkKey);
  if (from.kind === 'button' && from.entered !== undefined) return chat.answerDialog(message?.text);
  const answer = chat.answer(from.kind === 'button' ? message : undefined);
  // Where the answer says nothing to the user, a message does.
  if (message !== undefined && Object.keys(answer).length === 0)
    await chat
      .whisper(linkKey, from.user, message, call)
      .catch((error: unknown) => system.log.warn({ err: error }, 'A user of a chat was not told why.'));
  return answer;
}
