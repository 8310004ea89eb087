/**
 * Jira: an issue for each work unit. REST API v2, https://developer.atlassian.com/cloud/jira/platform/rest/v2/; webhooks,
 * https://developer.atlassian.com/cloud/jira/platform/webhooks/.
 */
import { hmacMatches, parsedJson, type ReadCall } from './read-call.ts';
import { ServiceRefusal, textAt, valueAt, type CallService, type LinkState, type ReferenceOfUnit, type Service } from './service.ts';
import { goesOut, isMarked, markedSentence, markOf, noteText, stateSentence, ticketText, ticketTitle } from './words.ts';

const linkOf = (key: string, address: string): LinkState => ({
  key,
  name: key,
  url: `${address.replace(/\/+$/, '')}/browse/${key}`,
  state: null,
  at: null,
});

/** A login is `mail:token`, or already in the form of its header. */
const basic = (login: string): string => (login.includes(':') ? Buffer.from(login).toString('base64') : login);

export const basicHeaders = (login: string) => ({ authorization: `Basic ${basic(login)}`, accept: 'application/json' });

interface Transition {
  id: string;
  to?: { name?: string; statusCategory?: { key?: string } };
}

/** The issue with a label. Jira Cloud has another address for searches than Jira Data Center. */
async function keyWithLabel(call: CallService, project: string, label: string): Promise<string | undefined> {
  const query = new URLSearchParams({
    jql: `project = "${project}" AND labels = "${label}"`,
    fields: 'summary',
    maxResults: '1',
  }).toString();
  const search = (path: string) => call({ method: 'GET', path: `/rest/api/2/search${path}?${query}` });
  const { issues } = await search('/jql').catch((error: unknown) => {
    if (error instanceof ServiceRefusal && [404, 405].includes(error.answer?.status ?? 0)) return search('');
    throw error;
  });
  return textAt((issues as unknown[] | undefined)?.[0], 'key') || undefined;
}

export const jira: Service = {
  headers: basicHeaders,
  isFinal: (status) => [400, 404, 409, 410].includes(status),
  test: async ({ place }, { call }) => void (await call({ method: 'GET', path: `/rest/api/2/project/${place}` })),
  tell: async (news, link, target, { call, lookBack, store }) => {
    const issues = '/rest/api/2/issue';
    if (!link) {
      // Properties of issues are not searched for everybody, and labels are.
      const label = `cloudfit-${target.eventSubscriptionId.slice(-12)}-${news.workUnitId}`;
      const earlier = await lookBack(() => keyWithLabel(call, target.place, label));
      if (earlier !== undefined) return await store(linkOf(earlier, target.address));
      if (!target.creates || news.isOver) return;
      const fields = {
        project: { key: target.place },
        issuetype: { name: target.itemType || 'Task' },
        summary: ticketTitle(news),
        description: ticketText(news),
        labels: ['cloudfit', label],
      };
      const created = await call({ method: 'POST', path: issues, body: { fields } });
      await store(linkOf(textAt(created, 'key'), target.address));
      return;
    }
    if (link.state === 'deleted') return;
    const path = `${issues}/${link.key}`;
    const comment = async (text: string) => {
      const written = await lookBack(async () => {
        const { comments } = await call({ method: 'GET', path: `${path}/comment?orderBy=-created&maxResults=100` });
        return ((comments ?? []) as unknown[]).find((item) => commentText(valueAt(item, 'body')).trimEnd().endsWith(markOf(news)));
      });
      if (written === undefined) await call({ method: 'POST', path: `${path}/comment`, body: { body: text } });
    };
    if (news.deed === 'note') {
      if (goesOut(news, target)) await comment(noteText(news, (name) => `*${name}*`));
      return;
    }
    if (news.changes['title'] || news.changes['severityId'])
      await call({ method: 'PUT', path, body: { fields: { summary: ticketTitle(news) } } });
    if (news.deed !== 'state') return;
    const { fields } = await call({ method: 'GET', path: `${path}?fields=status` });
    const isDone = textAt(fields, 'status', 'statusCategory', 'key') === 'done';
    let left = '';
    if (isDone !== news.isEnded) {
      const { transitions } = await call({ method: 'GET', path: `${path}/transitions` });
      const step = ((transitions ?? []) as Transition[]).find(({ to }) => (to?.statusCategory?.key === 'done') === news.isEnded);
      if (step) {
        await call({ method: 'POST', path: `${path}/transitions`, body: { transition: { id: step.id } } });
        await store({ ...link, state: step.to?.name ?? null });
      } else left = `\n\nNo transition of this issue leads to a status that is ${news.isEnded ? '' : 'not '}done, so its status stays.`;
    }
    await comment(markedSentence(news, `${stateSentence(news)}${left}`));
    if (left) throw new ServiceRefusal(left.trim(), undefined, true);
  },
};

/** The text of a comment: wiki markup, or the paragraphs of a document (ADF). */
function commentText(body: unknown): string {
  if (typeof body === 'string') return body;
  const parts = valueAt(body, 'content');
  if (!Array.isArray(parts)) return textAt(body, 'text');
  return parts.map(commentText).join(textAt(body, 'type') === 'doc' ? '\n\n' : '');
}

export const readJira: ReadCall = ({ header, bytes }, { secrets, place, address }) => {
  if (!hmacMatches(header('x-hub-signature'), secrets, bytes))
    return {
      kind: 'refused',
      message: 'The signature in X-Hub-Signature is missing or wrong. Enter the secret of the subscription as the secret of the webhook.',
    };
  const json = parsedJson(bytes.toString());
  if (!json) return { kind: 'malformed', message: 'The body is no JSON.' };
  const event = textAt(json, 'webhookEvent');
  const isComment = event === 'comment_created';
  if (!isComment && !['jira:issue_updated', 'jira:issue_deleted'].includes(event))
    return { kind: 'answer', body: { outcome: 'ignored', message: `CloudFit does nothing at ${event || 'a call without webhookEvent'}.` } };
  const key = textAt(json, 'issue', 'key');
  if (key === '') return { kind: 'malformed', message: 'The body has no issue.key.' };
  if (!key.toUpperCase().startsWith(`${place}-`))
    return {
      kind: 'answer',
      body: { outcome: 'unknown', message: `The subscription is about the project ${place}, and ${key} is not in it.` },
    };
  const time = Number(valueAt(json, 'timestamp'));
  const link = { ...linkOf(key, address), at: Number.isFinite(time) && time > 0 ? new Date(time).toISOString() : null };
  const by = textAt(json, 'user', 'displayName') || textAt(json, 'comment', 'author', 'displayName') || 'somebody';
  const callKey = header('x-atlassian-webhook-identifier') || `${event} ${textAt(json, 'timestamp')} ${key}`;
  if (isComment) {
    const text = commentText(valueAt(json, 'comment', 'body'));
    // The webhook of an update may tell the same comment again.
    const id = textAt(json, 'comment', 'id');
    return {
      kind: 'ticket',
      callKey: id ? `comment ${id}` : callKey,
      link,
      phase: undefined,
      stateText: '',
      by,
      ...(isMarked(text) ? {} : { comment: { text, by: textAt(json, 'comment', 'author', 'displayName') || by, url: link.url ?? '' } }),
    };
  }
  if (event === 'jira:issue_deleted')
    return { kind: 'ticket', callKey, link: { ...link, state: 'deleted' }, phase: 'gone', stateText: 'deleted', by };
  const items = valueAt(json, 'changelog', 'items');
  const isRenamed = Array.isArray(items) && items.some((item) => textAt(item, 'field') === 'summary');
  const status = textAt(json, 'issue', 'fields', 'status', 'name');
  const category = textAt(json, 'issue', 'fields', 'status', 'statusCategory', 'key');
  return {
    kind: 'ticket',
    callKey,
    link: { ...link, state: status || null },
    phase: category === '' ? undefined : category === 'done' ? 'closed' : 'open',
    stateText: status,
    by,
    ...(isRenamed ? { title: textAt(json, 'issue', 'fields', 'summary') } : {}),
  };
};

/** The issue that an address of the site names. */
export function linkOfJira({ url, place, address }: ReferenceOfUnit): LinkState | undefined {
  const [, key] = /\/browse\/([A-Z][A-Z0-9_]+-\d+)(?:[/?#].*)?$/.exec(url) ?? [];
  const isThere = URL.canParse(url) && URL.canParse(address) && new URL(url).host === new URL(address).host;
  return key !== undefined && isThere && key.startsWith(`${place}-`) ? { ...linkOf(key, address), url } : undefined;
}
