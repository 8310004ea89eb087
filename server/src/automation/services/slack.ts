/**
 * Slack: a message for each work unit, with buttons, that follows the unit; notes are its thread. Web API and signatures as in
 * https://docs.slack.dev/reference/methods and https://docs.slack.dev/authentication/verifying-requests-from-slack.
 */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { createHmac } from 'node:crypto';
import { chatDeeds, isSame, jsonOf, parsedJson, type IncomingCall, type ReadCall, type ReadResult } from './read-call.ts';
import {
  isVisibleChange,
  textAt,
  valueAt,
  type CallService,
  type Chat,
  type LinkState,
  type Service,
  type ServiceNews,
} from './service.ts';
import { goesOut, longestEntry, messageFacts, messageTitle, searchedFrom, stateSentence, threadText, unitMark } from './words.ts';

/** Text in which Slack finds no markup of its own. */
const plain = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const colors: Readonly<Record<string, string>> = { Sev0: ':red_circle:', Sev1: ':red_circle:', Sev2: ':large_orange_circle:' };

const button = (deed: (typeof chatDeeds)[number], text: string, { workUnitId }: ServiceNews, more: object = {}) => ({
  type: 'button',
  action_id: `cloudfit_${deed}`,
  text: { type: 'plain_text', text },
  value: String(workUnitId),
  ...more,
});

function blocksOf(news: ServiceNews): object[] {
  const mark = news.isEnded ? ':white_check_mark:' : (colors[news.severityId] ?? ':large_yellow_circle:');
  const buttons = [
    ...(news.stateId === 'New' ? [button('acknowledge', 'Acknowledge', news, { style: 'primary' })] : []),
    button('assign', 'Assign to me', news),
    button('resolve', 'Resolve', news),
  ];
  return [
    { type: 'section', text: { type: 'mrkdwn', text: `${mark} *<${news.url}|${startOf(plain(messageTitle(news)), 2_000)}>*` } },
    {
      type: 'section',
      fields: messageFacts(news).map(([name, value]) => ({ type: 'mrkdwn', text: `*${name}*\n${startOf(plain(value), 500)}` })),
    },
    ...(news.changes['stateId']
      ? [{ type: 'context', elements: [{ type: 'mrkdwn', text: startOf(plain(stateSentence(news)), 2_000) }] }]
      : []),
    ...(news.isEnded ? [] : [{ type: 'actions', elements: buttons }]),
  ];
}

const contentOf = (news: ServiceNews) => ({ text: plain(messageTitle(news)), blocks: blocksOf(news), unfurl_links: false });

const partsOf = (key: string): { channel: string; ts: string } => ({ channel: key.split(':')[0] ?? '', ts: key.split(':')[1] ?? '' });

/** Errors about one message, which says nothing of others. */
const ofMessage: ReadonlySet<string> = new Set([
  'message_not_found',
  'thread_not_found',
  'cant_update_message',
  'edit_window_closed',
  'msg_too_long',
  'invalid_blocks',
]);

const linkOf = (channel: string, ts: string, news: ServiceNews, url: string | null): LinkState => ({
  key: `${channel}:${ts}`,
  name: `Message ${ts}`,
  url,
  state: news.stateId,
  at: null,
});

const metadata = (mark: string) => ({ event_type: 'cloudfit', event_payload: { mark } });

const pagesAtMost = 10;

/** The message of a channel, or answer in a thread, with a mark: it is in the metadata, which people do not see. */
async function messageWith(call: CallService, news: ServiceNews, mark: string, channel: string, thread?: string): Promise<unknown> {
  const query = new URLSearchParams({ channel, oldest: String(searchedFrom(news).getTime() / 1_000), limit: '200' });
  query.set('include_all_metadata', 'true');
  if (thread) query.set('ts', thread);
  for (let page = 1; page <= pagesAtMost; page += 1) {
    const path = `/conversations.${thread ? 'replies' : 'history'}?${query.toString()}`;
    const answer = await call({ method: 'GET', path });
    const messages = (answer['messages'] ?? []) as unknown[];
    const message = messages.find((item) => textAt(item, 'metadata', 'event_payload', 'mark') === mark);
    const cursor = textAt(answer, 'response_metadata', 'next_cursor');
    if (message !== undefined || cursor === '') return message;
    query.set('cursor', cursor);
  }
  return undefined;
}

export const slack: Service = {
  headers: (token) => ({ authorization: `Bearer ${token}` }),
  refusal: (answer) => {
    if (answer['ok'] === true) return undefined;
    const error = textAt(answer, 'error') || 'without ok';
    return { message: `Slack answered ${error}.`, isFinal: ofMessage.has(error) };
  },
  isFinal: () => false,
  test: async ({ place, name }, { call }) => {
    const text = `This is a test of the subscription ${plain(name)} of CloudFit. Nothing happened.`;
    await call({ method: 'POST', path: '/chat.postMessage', body: { channel: place, text } });
  },
  tell: async (news, existing, target, { call, lookBack, store }) => {
    let link = existing;
    if (!link) {
      const mark = unitMark(news, target);
      const earlier = await lookBack(() => messageWith(call, news, mark, target.place));
      if (earlier === undefined && (!target.creates || news.isOver)) return;
      const body = { channel: target.place, ...contentOf(news), metadata: metadata(mark) };
      const posted = earlier ?? (await call({ method: 'POST', path: '/chat.postMessage', body }));
      const [channel, ts] = [textAt(posted, 'channel') || target.place, textAt(posted, 'ts')];
      link = linkOf(channel, ts, news, null);
      await store(link);
      const query = new URLSearchParams({ channel, message_ts: ts });
      const permalink = await call({ method: 'GET', path: `/chat.getPermalink?${query.toString()}` });
      await store(linkOf(channel, ts, news, textAt(permalink, 'permalink') || null));
    } else if (isVisibleChange(news)) {
      await call({ method: 'POST', path: '/chat.update', body: { ...partsOf(link.key), ...contentOf(news) } });
      await store({ ...link, state: news.stateId });
    }
    if (!goesOut(news, target)) return;
    const { channel, ts } = partsOf(link.key);
    if ((await lookBack(() => messageWith(call, news, news.eventId, channel, ts))) !== undefined) return;
    const text = plain(threadText(news));
    const body = { channel, thread_ts: ts, text, unfurl_links: false, metadata: metadata(news.eventId) };
    await call({ method: 'POST', path: '/chat.postMessage', body });
  },
};

const maxAgeSeconds = 300;

function isSigned({ header, bytes, at }: IncomingCall, signing: string): boolean {
  const time = header('x-slack-request-timestamp');
  // An old request may be one that somebody has recorded.
  if (!/^\d+$/.test(time) || Math.abs(at.getTime() / 1_000 - Number(time)) > maxAgeSeconds) return false;
  return isSame(header('x-slack-signature'), `v0=${createHmac('sha256', signing).update(`v0:${time}:`).update(bytes).digest('hex')}`);
}

const dialogName = 'cloudfit_resolve';

const presserOf = (json: Readonly<Record<string, unknown>>) => ({
  user: textAt(json, 'user', 'id'),
  userName: textAt(json, 'user', 'username') || textAt(json, 'user', 'name'),
  team: textAt(json, 'user', 'team_id') || textAt(json, 'team', 'id'),
  teamName: textAt(json, 'team', 'domain'),
});

/** A dialog that was sent: `private_metadata` is what this app has put in, which Slack signs. */
function readDialog(json: Readonly<Record<string, unknown>>): ReadResult {
  const view = valueAt(json, 'view');
  if (textAt(view, 'callback_id') !== dialogName) return { kind: 'answer', body: {} };
  const about = parsedJson(textAt(view, 'private_metadata'));
  const linkKey = textAt(about, 'linkKey');
  const presser = presserOf(json);
  if (linkKey === '' || presser.user === '') return { kind: 'malformed', message: 'The payload has no private_metadata or user.' };
  return {
    kind: 'button',
    callKey: `dialog ${textAt(view, 'id')}`,
    linkKey,
    workUnitId: Number(textAt(about, 'workUnitId')),
    deed: 'resolve',
    ...presser,
    entered: textAt(view, 'state', 'values', 'resolution', 'text', 'value'),
  };
}

function readButton(json: Readonly<Record<string, unknown>>): ReadResult {
  if (textAt(json, 'type') === 'view_submission') return readDialog(json);
  const action = (valueAt(json, 'actions') as unknown[] | undefined)?.[0];
  const deed = chatDeeds.find((name) => textAt(action, 'action_id') === `cloudfit_${name}`);
  const channel = textAt(json, 'channel', 'id') || textAt(json, 'container', 'channel_id');
  const ts = textAt(json, 'message', 'ts') || textAt(json, 'container', 'message_ts');
  const presser = presserOf(json);
  const { user } = presser;
  if (textAt(json, 'type') !== 'block_actions' || !deed) return { kind: 'answer', body: {} };
  if (!channel || !ts || !user) return { kind: 'malformed', message: 'The payload has no channel, message or user.' };
  return {
    kind: 'button',
    callKey: `${textAt(action, 'action_ts')} ${user} ${deed}`,
    linkKey: `${channel}:${ts}`,
    workUnitId: Number(textAt(action, 'value')),
    deed,
    ...presser,
    ...(textAt(json, 'trigger_id') === '' ? {} : { trigger: { id: textAt(json, 'trigger_id'), proof: '' } }),
  };
}

/** The text as people read it: Slack escapes three signs, and writes links as <address|text>. */
const readable = (text: string): string =>
  text
    .replaceAll(/<(https?:[^|>]+)\|([^>]+)>/g, '$2 ($1)')
    .replaceAll(/<(https?:[^>]+|mailto:[^>]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const byPeople: ReadonlySet<string> = new Set(['', 'file_share', 'thread_broadcast']);

function readEvent(json: Readonly<Record<string, unknown>>): ReadResult {
  const event = valueAt(json, 'event');
  const thread = textAt(event, 'thread_ts');
  const user = textAt(event, 'user');
  const isReply = textAt(event, 'type') === 'message' && thread !== '' && thread !== textAt(event, 'ts');
  if (!isReply || user === '' || textAt(event, 'bot_id') !== '' || !byPeople.has(textAt(event, 'subtype')))
    return { kind: 'answer', body: {} };
  return {
    kind: 'reply',
    callKey: textAt(json, 'event_id'),
    linkKey: `${textAt(event, 'channel')}:${thread}`,
    text: readable(textAt(event, 'text')),
    user,
    team: textAt(event, 'user_team') || textAt(event, 'team') || textAt(json, 'team_id'),
  };
}

export const readSlack: ReadCall = (call, { signing }) => {
  if (signing === undefined)
    return { kind: 'refused', message: 'The signing secret of the subscription has no value. Please enter it on the page of the tenant.' };
  if (!isSigned(call, signing))
    return {
      kind: 'refused',
      message:
        'The signature in X-Slack-Signature is missing, wrong or older than five minutes. Enter the signing secret of the app, and check the clock.',
    };
  const isForm = /^application\/x-www-form-urlencoded/i.test(call.header('content-type'));
  const json = isForm ? jsonOf(call.header('content-type'), call.bytes) : parsedJson(call.bytes.toString());
  if (!json) return { kind: 'malformed', message: 'The body is neither JSON nor a form with a payload.' };
  if (isForm) return readButton(json);
  if (textAt(json, 'type') === 'url_verification') return { kind: 'answer', body: { challenge: textAt(json, 'challenge') } };
  return readEvent(json);
};

export const slackChat: Chat = {
  userOf: async (user, call) => {
    const { user: row } = await call({ method: 'GET', path: `/users.info?${new URLSearchParams({ user }).toString()}` });
    // People of another workspace in a shared channel choose their address there.
    const isBelieved = valueAt(row, 'is_stranger') !== true && valueAt(row, 'deleted') !== true;
    const isBot = valueAt(row, 'is_bot') === true;
    return { name: textAt(row, 'name'), email: isBelieved && !isBot ? textAt(row, 'profile', 'email') || undefined : undefined, isBot };
  },
  whisper: async (linkKey, user, { text, connectUrl }, call) => {
    const { channel, ts } = partsOf(linkKey);
    const connect = {
      type: 'button',
      action_id: 'connect',
      text: { type: 'plain_text', text: 'Connect' },
      style: 'primary',
      url: connectUrl,
    };
    const blocks = [
      { type: 'section', text: { type: 'plain_text', text: startOf(text, 3_000) } },
      { type: 'actions', elements: [connect] },
    ];
    const body = { channel, thread_ts: ts, user, text: plain(text), ...(connectUrl === undefined ? {} : { blocks }) };
    await call({ method: 'POST', path: '/chat.postEphemeral', body });
  },
  ask: async ({ trigger, linkKey, workUnitId, title, resolution }, call) => {
    const text = (value: string) => ({ type: 'plain_text', text: value });
    const element = { type: 'plain_text_input', action_id: 'text', multiline: true, max_length: longestEntry, initial_value: resolution };
    const view = {
      type: 'modal',
      callback_id: dialogName,
      private_metadata: JSON.stringify({ linkKey, workUnitId }),
      title: text('Resolve'),
      submit: text('Resolve'),
      close: text('Cancel'),
      blocks: [
        { type: 'section', text: text(startOf(title, 2_000)) },
        { type: 'input', block_id: 'resolution', optional: true, label: text('Resolution'), element },
      ],
    };
    await call({ method: 'POST', path: '/views.open', body: { trigger_id: trigger.id, view } });
  },
  answerDialog: (text) => (text === undefined ? {} : { response_action: 'errors', errors: { resolution: startOf(text, 1_900) } }),
  hint: 'The app needs the scopes users:read and users:read.email.',
  answer: () => ({}),
};
