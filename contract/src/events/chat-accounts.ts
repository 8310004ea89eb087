/** Users of chats whom people have connected with themselves, so that buttons and threads there act in their name. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** Minutes for which the link in a chat is good. */
export const chatLinkMinutes = 15;

const token = z.string().min(1, 'Send the token of the link.').max(200);

const chatUser = {
  service: z.string(),
  /** The workspace of Slack, or the host of Mattermost. */
  workspaceName: z.string(),
  userName: z.string(),
  tenantName: z.string(),
};

export const chatAccounts = defineAction({
  name: 'chatAccounts',
  method: 'GET',
  path: '/v1/chatAccounts',
  access: 'signed-in',
  about: 'The users of chats that are connected with the caller; with personId, those of a person whom the caller may view.',
  input: z.object({ personId: z.optional(guidSchema) }),
  output: z.object({ accounts: z.array(z.object({ chatAccountId: z.string(), connected: z.string(), ...chatUser })) }),
});

export const chatLink = defineAction({
  name: 'chatLink',
  method: 'POST',
  path: '/v1/chatAccounts/link',
  reads: true,
  access: 'signed-in',
  about: 'Which user of a chat a link is about that CloudFit has given to that user there.',
  noStore: true,
  input: z.object({ token }),
  output: z.object({
    ...chatUser,
    /** The address that the chat has for the user; null when it tells none. */
    email: z.string().nullable(),
  }),
});

export const connectChat = defineAction({
  name: 'connectChat',
  method: 'PUT',
  path: '/v1/chatAccounts',
  access: 'signed-in',
  about: 'Connects the user of a chat, to whom the link with this token was given, with the caller. Audited; good once.',
  noStore: true,
  input: z.object({ token }),
  output: z.object({ chatAccountId: z.string() }),
});

export const disconnectChat = defineAction({
  name: 'disconnectChat',
  method: 'DELETE',
  path: '/v1/chatAccounts/{id}',
  access: 'signed-in',
  about:
    'Ends the connection of a user of a chat with the caller, or with somebody else for whoever may edit people of its tenant. Audited.',
  input: z.object({ id: guidSchema }),
});
