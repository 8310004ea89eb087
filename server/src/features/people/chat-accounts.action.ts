/** People connect a user of a chat with themselves, and they and administrators see and end that. */
import { chatAccounts, chatLink, connectChat, disconnectChat } from '@cloudfit/contract/events/chat-accounts.ts';
import { ApiError, forbidden, notFound } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { notifyOfChatAccount } from '../../auth/sign-in/sign-in-devices.ts';
import { actorName, inTransaction, requirePermission, tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import { get } from '../../resources/get.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { hashOfChatToken } from './chat-accounts.ts';
import { servedPeople } from './people.served.ts';
import { queueMail } from './sessions.action.ts';

function personOf({ actor }: Ctx): string {
  if (actor.kind !== 'person') throw forbidden('Only people connect a chat; sign in as a person.');
  return actor.id;
}

interface ChatAccountFacts {
  chatAccountId: string;
  service: string;
  workspaceName: string;
  userName: string;
  tenantName: string;
  connected: string;
}

const listed = `select a.chat_account_id as "chatAccountId", a.service, a.workspace_name as "workspaceName", a.user_name as "userName",
  t.name as "tenantName", a.connected from chat_account a join tenant t on t.tenant_id = a.tenant_id where a.person_id = $1 and ($2::uuid[] is null or a.tenant_id = any($2)) order by a.connected`;

const list = implement(chatAccounts, async (ctx, { personId }) => {
  const id = personId === undefined ? personOf(ctx) : (await get(ctx, servedPeople, personId)).personId;
  const scope = personId === undefined ? 'all' : tenantScopeWith(ctx, [permission('People', 'view')]);
  return { accounts: await ctx.db.query<ChatAccountFacts>({ text: listed, values: [id, scope === 'all' ? null : [...scope]] }) };
});

const deadLink = () =>
  new ApiError(
    'NotFound',
    'This link is used, too old, or for a customer to whom you have no access. Press the button in the chat again to get another.',
  );

interface LinkFacts {
  service: string;
  workspaceName: string;
  userName: string;
  tenantName: string;
  email: string | null;
}

const ofLink = `select a.service, a.workspace_name as "workspaceName", a.user_name as "userName", t.name as "tenantName", a.email
from chat_account a join tenant t on t.tenant_id = a.tenant_id where a.token_hash = $1 and a.expires > now()`;

const link = implement(chatLink, async (ctx, { token }) => {
  personOf(ctx);
  const [row] = await ctx.db.query<LinkFacts>({ text: ofLink, values: [hashOfChatToken(token)] });
  if (!row) throw deadLink();
  return row;
});

interface ConnectedAccount {
  chatAccountId: string;
  tenantId: string;
  personId: string | null;
  service: string;
  workspaceName: string;
  userName: string;
  userKey: string;
}

const columns = `chat_account_id as "chatAccountId", tenant_id as "tenantId", person_id as "personId", service, workspace_name as "workspaceName",
  user_name as "userName", user_key as "userKey"`;

const audit = (ctx: Ctx, verb: string, { tenantId, personId, ...account }: ConnectedAccount): Promise<void> =>
  recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb,
    entity: 'people',
    entityId: personId ?? '',
    tenantId,
    ...(verb === 'connect-chat' ? { after: account } : { before: account }),
    correlationId: ctx.correlationId,
    address: ctx.address,
  });

const connect = implement(connectChat, (outside, { token }) =>
  inTransaction(outside, async (ctx) => {
    const [row] = await ctx.db.query<ConnectedAccount>({
      text: `update chat_account set person_id = $2, connected = now(), token_hash = null, expires = null where token_hash = $1 and expires > now() returning ${columns}`,
      values: [hashOfChatToken(token), personOf(ctx)],
    });
    if (!row) throw deadLink();
    await audit(ctx, 'connect-chat', row);
    // Who was persuaded to open a link of somebody else notices it here.
    const account = `@${row.userName} (${row.service}, ${row.workspaceName})`;
    await notifyOfChatAccount(ctx.db, personOf(ctx), queueMail, { account, tenantId: row.tenantId });
    return { chatAccountId: row.chatAccountId };
  }),
);

const disconnect = implement(disconnectChat, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const [row] = await ctx.db.query<ConnectedAccount>({
      text: `delete from chat_account where chat_account_id = $1 and person_id is not null returning ${columns}`,
      values: [id],
    });
    if (!row) throw notFound('Chat account');
    const isOwn = ctx.actor.kind === 'person' && ctx.actor.id === row.personId;
    if (!isOwn) requirePermission(ctx, 'People', 'edit', row.tenantId);
    await audit(ctx, 'disconnect-chat', row);
  }),
);

export const chatAccountActions: readonly ImplementedAction[] = [list, link, connect, disconnect];
