/**
 * GitHub: an issue for each work unit. REST API 2022-11-28, https://docs.github.com/en/rest/issues; webhooks,
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads.
 */
import {
  textAt,
  valueAt,
  type CallService,
  type LinkState,
  type ReferenceOfUnit,
  type Service,
  type ServiceNews,
  type ServiceTarget,
} from './service.ts';
import { hmacMatches, jsonOf, type ReadCall } from './read-call.ts';
import {
  goesOut,
  isMarked,
  markedSentence,
  markOf,
  noteText,
  searchedFrom,
  stateSentence,
  ticketText,
  ticketTitle,
  unitMark,
} from './words.ts';

const stateOf = (issue: unknown, { place }: Pick<ServiceTarget, 'place'>): LinkState => {
  const number = textAt(issue, 'number');
  return {
    key: number,
    name: `${place}#${number}`,
    url: textAt(issue, 'html_url') || null,
    state: textAt(issue, 'state') || null,
    at: textAt(issue, 'updated_at') || null,
  };
};

const pageSize = 20;
const pagesAtMost = 20;

/** The first item of a list since a time that satisfies a condition. An answer is cut off at 1 MB, so pages are small. */
async function itemSince(call: CallService, list: string, since: Date, fits: (item: unknown) => boolean): Promise<unknown> {
  const query = `since=${since.toISOString().slice(0, 19)}Z&per_page=${pageSize}`;
  for (let page = 1; page <= pagesAtMost; page += 1) {
    const { items } = await call({ method: 'GET', path: `${list}${list.includes('?') ? '&' : '?'}${query}&page=${page}` });
    const all = Array.isArray(items) ? (items as unknown[]) : [];
    const item = all.find(fits);
    if (item !== undefined || all.length < pageSize) return item;
  }
  return undefined;
}

/** A search would do, but lags behind what was made seconds ago. */
const issueMark = (news: ServiceNews, target: ServiceTarget): string => `<!-- cloudfit ${unitMark(news, target)} -->`;

export const github: Service = {
  headers: (token) => ({
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }),
  // An issue that is deleted, locked or in another repository is no fault of the subscription.
  isFinal: (status) => [400, 404, 410, 422].includes(status),
  test: async ({ place }, { call }) => void (await call({ method: 'GET', path: `/repos/${place}` })),
  tell: async (news, link, target, { call, lookBack, store }) => {
    const issues = `/repos/${target.place}/issues`;
    if (!link) {
      const mark = issueMark(news, target);
      const earlier = await lookBack(() =>
        itemSince(call, `${issues}?state=all&sort=created&direction=desc`, searchedFrom(news), (issue) =>
          textAt(issue, 'body').includes(mark),
        ),
      );
      if (earlier === undefined && (!target.creates || news.isOver)) return;
      const body = { title: ticketTitle(news), body: `${ticketText(news)}\n\n${mark}`, labels: ['cloudfit'] };
      await store(stateOf(earlier ?? (await call({ method: 'POST', path: issues, body })), target));
      return;
    }
    if (link.state === 'deleted') return;
    const path = `${issues}/${link.key}`;
    const comment = async (text: string) => {
      const isThere = (item: unknown) => textAt(item, 'body').trimEnd().endsWith(markOf(news));
      const written = await lookBack(() => itemSince(call, `${path}/comments`, searchedFrom(news), isThere));
      if (written === undefined) await call({ method: 'POST', path: `${path}/comments`, body: { body: text } });
    };
    if (news.deed === 'note') {
      if (goesOut(news, target)) await comment(noteText(news, (name) => `**${name}**`));
      return;
    }
    if (news.changes['title'] || news.changes['severityId'])
      // The answer may show a state of which the webhook is still on its way, so it is not stored.
      await call({ method: 'PATCH', path, body: { title: ticketTitle(news) } });
    if (news.deed !== 'state') return;
    const state = news.isEnded ? 'closed' : 'open';
    if (link.state !== state) {
      const reason = news.isEnded ? (news.stateId === 'Canceled' ? 'not_planned' : 'completed') : 'reopened';
      await store(stateOf(await call({ method: 'PATCH', path, body: { state, state_reason: reason } }), target));
    }
    await comment(markedSentence(news, stateSentence(news)));
  },
};

const handled: Readonly<Record<string, readonly string[]>> = {
  issues: ['opened', 'closed', 'reopened', 'edited', 'deleted', 'transferred'],
  issue_comment: ['created'],
};

export const readGitHub: ReadCall = ({ header, bytes }, { secrets, place }) => {
  if (!hmacMatches(header('x-hub-signature-256'), secrets, bytes))
    return {
      kind: 'refused',
      message:
        'The signature in X-Hub-Signature-256 is missing or wrong. Enter the secret of the subscription as the secret of the webhook.',
    };
  const event = header('x-github-event');
  const json = jsonOf(header('content-type'), bytes);
  if (json === undefined)
    return { kind: 'malformed', message: 'The body is no JSON. Choose the content type application/json for the webhook.' };
  if (event === 'ping') return { kind: 'answer', body: { outcome: 'pong', message: textAt(json, 'zen') } };
  const action = textAt(json, 'action');
  if (!handled[event]?.includes(action))
    return { kind: 'answer', body: { outcome: 'ignored', message: `CloudFit does nothing at ${event} ${action}.`.replace(' .', '.') } };
  const repository = textAt(json, 'repository', 'full_name');
  const issue = valueAt(json, 'issue');
  const { key, name, url, state, at } = stateOf(issue, { place: repository });
  if (repository.toLowerCase() !== place.toLowerCase())
    return { kind: 'answer', body: { outcome: 'unknown', message: `The subscription is about ${place}, not ${repository}.` } };
  if (key === '') return { kind: 'malformed', message: 'The body has no issue.number.' };
  const by = textAt(json, 'sender', 'login') || 'somebody';
  const isGone = action === 'deleted' || action === 'transferred';
  const text = textAt(json, 'comment', 'body');
  const reason = textAt(issue, 'state_reason');
  return {
    kind: 'ticket',
    callKey: header('x-github-delivery'),
    link: { key, name, url, state: isGone ? 'deleted' : state, at },
    phase: isGone ? 'gone' : state === 'closed' ? 'closed' : 'open',
    stateText: isGone ? action : reason === 'not_planned' ? 'closed as not planned' : state === 'closed' ? 'closed' : 'open',
    by,
    ...(event === 'issue_comment' && !isMarked(text)
      ? { comment: { text, by: textAt(json, 'comment', 'user', 'login') || by, url: textAt(json, 'comment', 'html_url') } }
      : {}),
    ...(action === 'edited' && valueAt(json, 'changes', 'title') !== undefined ? { title: textAt(issue, 'title') } : {}),
  };
};

/** The issue that an address of the repository names. */
export function linkOfGitHub({ url, place }: ReferenceOfUnit): LinkState | undefined {
  const [, repository = '', key] = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/issues\/(\d+)(?:[?#].*)?$/.exec(url) ?? [];
  if (key === undefined || repository.toLowerCase() !== place.toLowerCase()) return undefined;
  return { key, name: `${place}#${key}`, url, state: null, at: null };
}
