/** Users of chats and the people who have said that they are them. */
import { createHash, randomBytes } from 'node:crypto';
import { chatLinkMinutes } from '@cloudfit/contract/events/chat-accounts.ts';
import type { Db } from '../../db/db.ts';

/** A user of a chat as a call names it. `workspace`: in which chat, so that the same id elsewhere is somebody else. */
export interface ChatUserKey {
  tenantId: string;
  service: string;
  workspace: string;
  user: string;
}

const connected = `select p.person_id as id, p.user_name as "userName", p.claims from chat_account a join person p on p.person_id = a.person_id
where a.tenant_id = $1 and a.service = $2 and a.workspace = $3 and a.user_key = $4`;

interface ConnectedPerson {
  id: string;
  userName: string;
  claims: string[] | null;
}

/** The person who has connected themselves with the user. */
export async function personOfChatUser(db: Db, { tenantId, service, workspace, user }: ChatUserKey): Promise<ConnectedPerson | undefined> {
  const values = [tenantId, service, workspace, user];
  return (await db.query<ConnectedPerson>({ name: 'chat-account-person', text: connected, values }))[0];
}

// A user who is connected gets no link: whoever has connected them ends that first.
const offered = `insert into chat_account (tenant_id, service, workspace, user_key, workspace_name, user_name, email, token_hash, expires)
values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(mins => ${chatLinkMinutes}))
on conflict (tenant_id, service, workspace, user_key) do update set workspace_name = excluded.workspace_name, user_name = excluded.user_name,
  email = excluded.email, token_hash = excluded.token_hash, expires = excluded.expires
where chat_account.person_id is null returning chat_account_id as id`;

export const hashOfChatToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Returns the token of a new link for a user; an earlier one of the same user ends. Undefined for a user who is connected. */
export async function offerConnection(
  db: Db,
  { tenantId, service, workspace, user }: ChatUserKey,
  { workspaceName, userName, email }: { workspaceName: string; userName: string; email: string | undefined },
): Promise<string | undefined> {
  const token = randomBytes(24).toString('base64url');
  const about = [workspaceName.slice(0, 200), userName.slice(0, 200), email?.slice(0, 320) ?? null];
  const values = [tenantId, service, workspace, user, ...about, hashOfChatToken(token)];
  return (await db.query<{ id: string }>({ name: 'chat-account-offer', text: offered, values })).length > 0 ? token : undefined;
}
