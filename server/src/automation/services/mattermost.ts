/**
 * Mattermost: a post for each work unit, with buttons, that follows the unit; notes are its thread. API v4, https://api.mattermost.com;
 * https://developers.mattermost.com/integrate/plugins/interactive-messages/ and .../webhooks/outgoing/.
 */
import { randomUUID } from 'node:crypto';
import { chatDeeds, isSame, parsedJson, type ReadCall } from './read-call.ts';
import {
  isVisibleChange,
  textAt,
  valueAt,
  type CallService,
  type Chat,
  type LinkState,
  type PrivateMessage,
  type Service,
  type ServiceTarget,
  type ServiceNews,
} from './service.ts';
import { goesOut, longestEntry, messageFacts, messageTitle, searchedFrom, stateSentence, threadText, unitMark } from './words.ts';
import { sealFor } from './seal.ts';

const colors: Readonly<Record<string, string>> = { Sev0: '#c4314b', Sev1: '#c4314b', Sev2: '#e8912d' };

const names = { acknowledge: 'Acknowledge', assign: 'Assign to me', resolve: 'Resolve' } as const;

/** Text in which a chat finds no mention of everybody. */
const plain = (text: string): string => text.replaceAll(/@(?=\w)/g, '@\u200B');

function contentOf(news: ServiceNews, target: ServiceTarget) {
  const { callUrl, seal } = target;
  const { workUnitId } = news;
  const deeds = news.isEnded ? [] : chatDeeds.filter((deed) => deed !== 'acknowledge' || news.stateId === 'New');
  return {
    message: '',
    props: {
      cloudfit: true,
      cloudfit_mark: unitMark(news, target),
      attachments: [
        {
          fallback: messageTitle(news),
          color: news.isEnded ? '#3db887' : (colors[news.severityId] ?? '#ffbc1f'),
          title: messageTitle(news),
          title_link: news.url,
          text: news.changes['stateId'] ? plain(stateSentence(news)) : '',
          fields: messageFacts(news).map(([title, value]) => ({ title, value: plain(value), short: true })),
          // The context stays at the server of Mattermost, which sends it back with a press.
          actions: deeds.map((deed) => ({
            id: deed,
            type: 'button',
            name: names[deed],
            style: deed === 'acknowledge' ? 'primary' : 'default',
            integration: { url: callUrl, context: { deed, workUnitId, seal: seal(`${deed} ${workUnitId}`) } },
          })),
        },
      ],
    },
  };
}

const partsOf = (key: string): { channel: string; post: string } => ({ channel: key.split(':')[0] ?? '', post: key.split(':')[1] ?? '' });

/**
 * The post of a channel with a mark. By `pending_post_id` Mattermost itself posts nothing twice, for half a minute: that is for a try that is
 * still under way there.
 */
async function postWith(call: CallService, news: ServiceNews, mark: string, channel: string): Promise<unknown> {
  const answer = await call({ method: 'GET', path: `/api/v4/channels/${channel}/posts?since=${searchedFrom(news).getTime()}` });
  return Object.values((answer['posts'] ?? {}) as Record<string, unknown>).find(
    (post) => textAt(post, 'props', 'cloudfit_mark') === mark && !Number(valueAt(post, 'delete_at')),
  );
}

export const mattermost: Service = {
  headers: (token) => ({ authorization: `Bearer ${token}` }),
  isFinal: (status) => [400, 404].includes(status),
  test: async ({ place, name }, { call }) => {
    const message = plain(`This is a test of the subscription ${name} of CloudFit. Nothing happened.`);
    await call({ method: 'POST', path: '/api/v4/posts', body: { channel_id: place, message } });
  },
  tell: async (news, existing, target, { call, lookBack, store }) => {
    let link = existing;
    if (!link) {
      const earlier = await lookBack(() => postWith(call, news, unitMark(news, target), target.place));
      if (earlier === undefined && (!target.creates || news.isOver)) return;
      const body = { channel_id: target.place, pending_post_id: news.eventId, ...contentOf(news, target) };
      const posted = earlier ?? (await call({ method: 'POST', path: '/api/v4/posts', body }));
      const post = textAt(posted, 'id');
      const url = `${target.address.replace(/\/+$/, '')}/_redirect/pl/${post}`;
      link = { key: `${target.place}:${post}`, name: `Post ${post}`, url, state: news.stateId, at: null } satisfies LinkState;
      await store(link);
    } else if (isVisibleChange(news)) {
      await call({ method: 'PUT', path: `/api/v4/posts/${partsOf(link.key).post}/patch`, body: contentOf(news, target) });
      await store({ ...link, state: news.stateId });
    }
    if (!goesOut(news, target)) return;
    const { channel, post } = partsOf(link.key);
    if ((await lookBack(() => postWith(call, news, news.eventId, channel))) !== undefined) return;
    const props = { cloudfit: true, cloudfit_mark: news.eventId };
    const body = { channel_id: channel, root_id: post, pending_post_id: news.eventId, message: plain(threadText(news)), props };
    await call({ method: 'POST', path: '/api/v4/posts', body });
  },
};

export const readMattermost: ReadCall = ({ header, bytes }, { secrets, signing }) => {
  const text = bytes.toString();
  const isForm = /^application\/x-www-form-urlencoded/i.test(header('content-type'));
  const json = isForm ? Object.fromEntries(new URLSearchParams(text)) : parsedJson(text);
  if (!json) return { kind: 'malformed', message: 'The body is neither JSON nor a form.' };
  const isDialog = textAt(json, 'type') === 'dialog_submission';
  // The state of a dialog is public to who sends it, so it is sealed as the context of a button is.
  const context = isDialog ? (parsedJson(textAt(json, 'state')) ?? {}) : valueAt(json, 'context');
  const user = textAt(json, 'user_id');
  const userName = textAt(json, 'user_name');
  if (context !== undefined) {
    const deed = chatDeeds.find((name) => name === textAt(context, 'deed'));
    const workUnitId = textAt(context, 'workUnitId');
    const seal = textAt(context, 'seal');
    if (!deed || !secrets.some((secret) => isSame(seal, sealFor(secret)(`${deed} ${workUnitId}`))))
      return { kind: 'refused', message: 'The button is none of this subscription, or its secret has changed since.' };
    if (isDialog) {
      if (valueAt(json, 'cancelled') === true) return { kind: 'answer', body: {} };
      const [linkKey, once] = [textAt(context, 'linkKey'), textAt(context, 'once')];
      const entered = textAt(json, 'submission', 'resolution');
      return { kind: 'button', callKey: `dialog ${once}`, linkKey, workUnitId: Number(workUnitId), deed, user, userName, entered };
    }
    const trigger = textAt(json, 'trigger_id');
    return {
      kind: 'button',
      callKey: textAt(json, 'trigger_id') || `${textAt(json, 'post_id')} ${user} ${deed}`,
      linkKey: `${textAt(json, 'channel_id')}:${textAt(json, 'post_id')}`,
      workUnitId: Number(workUnitId),
      deed,
      user,
      userName,
      ...(trigger === '' ? {} : { trigger: { id: trigger, proof: seal } }),
    };
  }
  if (signing === undefined || !isSame(textAt(json, 'token'), signing))
    return {
      kind: 'refused',
      message: 'The token is missing or wrong. Store the token of the outgoing webhook as the secret of the signatures.',
    };
  const postId = textAt(json, 'post_id');
  if (postId === '' || user === '') return { kind: 'malformed', message: 'The body has no post_id or user_id.' };
  return { kind: 'reply', callKey: postId, linkKey: undefined, postId, text: textAt(json, 'text'), user, userName };
};

const ids = /^[a-z0-9]{26}$/;

const withLink = ({ text, connectUrl }: PrivateMessage): string =>
  `${plain(text)}${connectUrl === undefined ? '' : `\n\n[Connect](${connectUrl})`}`;

export const mattermostChat: Chat = {
  userOf: async (user, call) => {
    if (!ids.test(user)) return { name: user, email: undefined, isBot: true };
    const row = await call({ method: 'GET', path: `/api/v4/users/${user}` });
    const isDeleted = Number(valueAt(row, 'delete_at') ?? 0) > 0;
    const isBot = valueAt(row, 'is_bot') === true;
    const isBelieved = !isDeleted && !isBot && valueAt(row, 'email_verified') !== false;
    return { name: textAt(row, 'username'), email: isBelieved ? textAt(row, 'email') || undefined : undefined, isBot };
  },
  whisper: async (linkKey, user, whispered, call) => {
    const { channel, post } = partsOf(linkKey);
    await call({
      method: 'POST',
      path: '/api/v4/posts/ephemeral',
      body: { user_id: user, post: { channel_id: channel, root_id: post, message: withLink(whispered) } },
    });
  },
  threadOf: async (postId, call) => {
    if (!ids.test(postId)) return undefined;
    const post = await call({ method: 'GET', path: `/api/v4/posts/${postId}` });
    const root = textAt(post, 'root_id');
    // What CloudFit writes in a thread is no answer to it.
    return root === '' || valueAt(post, 'props', 'cloudfit') === true ? undefined : `${textAt(post, 'channel_id')}:${root}`;
  },
  ask: async ({ trigger, linkKey, workUnitId, title, resolution, callUrl }, call) => {
    const entry = {
      display_name: 'Resolution',
      name: 'resolution',
      type: 'textarea',
      default: resolution,
      optional: true,
      max_length: longestEntry,
    };
    const dialog = {
      callback_id: 'cloudfit_resolve',
      title: 'Resolve',
      introduction_text: plain(title),
      elements: [entry],
      submit_label: 'Resolve',
      state: JSON.stringify({ deed: 'resolve', workUnitId, seal: trigger.proof, linkKey, once: randomUUID() }),
    };
    await call({ method: 'POST', path: '/api/v4/actions/dialogs/open', body: { trigger_id: trigger.id, url: callUrl, dialog } });
  },
  answerDialog: (text) => (text === undefined ? {} : { error: text }),
  hint: 'The bot must be allowed to read addresses: make it a system administrator, or show addresses in the settings of the site.',
  answer: (message) => (message === undefined ? {} : { ephemeral_text: withLink(message) }),
};
