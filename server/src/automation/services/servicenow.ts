/**
 * ServiceNow: a record for each work unit, by the Table API,
 * https://www.servicenow.com/docs/r/api-reference/rest-apis/c_TableAPI.html. A business rule there calls back (docs/CHAT.md has it).
 */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { basicHeaders } from './jira.ts';
import { isSame, parsedJson, type ReadCall } from './read-call.ts';
import { textAt, type LinkState, type ReferenceOfUnit, type Service } from './service.ts';
import { goesOut, isMarked, markedSentence, markOf, noteText, stateSentence, ticketText, ticketTitle, unitMark } from './words.ts';

const resolved = '6';
const inProgress = '2';
const ended: ReadonlySet<string> = new Set(['6', '7', '8']);
const labels: Readonly<Record<string, string>> = {
  '1': 'New',
  '2': 'In Progress',
  '3': 'On Hold',
  '6': 'Resolved',
  '7': 'Closed',
  '8': 'Canceled',
};

const linkOf = (id: string, number: string, { address, place }: Pick<ReferenceOfUnit, 'address' | 'place'>): LinkState => ({
  key: id,
  name: number || id,
  url: `${address.replace(/\/+$/, '')}/${place}.do?sys_id=${id}`,
  state: null,
  at: null,
});

export const serviceNow: Service = {
  headers: basicHeaders,
  isFinal: (status) => [400, 404].includes(status),
  test: async ({ place }, { call }) =>
    void (await call({ method: 'GET', path: `/api/now/table/${place}?sysparm_limit=1&sysparm_fields=sys_id` })),
  tell: async (news, link, target, { call, lookBack, store }) => {
    const table = `/api/now/table/${target.place}`;
    if (!link) {
      const correlation = unitMark(news, target);
      const earlier = await lookBack(async () => {
        const query = new URLSearchParams({ sysparm_query: `correlation_id=${correlation}`, sysparm_limit: '1' });
        const { result: records } = await call({ method: 'GET', path: `${table}?${query.toString()}&sysparm_fields=sys_id,number,state` });
        return (records as unknown[] | undefined)?.[0];
      });
      if (earlier === undefined && (!target.creates || news.isOver)) return;
      const body = {
        short_description: startOf(ticketTitle(news), 160),
        description: ticketText(news),
        correlation_id: correlation,
        correlation_display: 'CloudFit',
      };
      const result = earlier ?? (await call({ method: 'POST', path: table, body }))['result'];
      await store({
        ...linkOf(textAt(result, 'sys_id'), textAt(result, 'number'), target),
        state: labels[textAt(result, 'state')] ?? null,
      });
      return;
    }
    if (link.state === 'deleted') return;
    const path = `${table}/${link.key}`;
    const change = (body: object) => call({ method: 'PATCH', path, body });
    // The journal is read by the record: its table is closed to most accounts.
    const isWritten = () =>
      lookBack(async () => {
        const { result } = await call({ method: 'GET', path: `${path}?sysparm_display_value=true&sysparm_fields=comments,work_notes` });
        return `${textAt(result, 'comments')}\n${textAt(result, 'work_notes')}`.includes(markOf(news)) || undefined;
      });
    if (news.deed === 'note') {
      // Customers read the comments of a record, and its people the work notes.
      if (goesOut(news, target) && !(await isWritten()))
        await change({ [news.note?.isExternal ? 'comments' : 'work_notes']: noteText(news) });
      return;
    }
    const title = news.changes['title'] || news.changes['severityId'] ? { short_description: startOf(ticketTitle(news), 160) } : {};
    if (news.deed !== 'state') {
      if (Object.keys(title).length > 0) await change(title);
      return;
    }
    const sentence = stateSentence(news);
    const wasEnded = link.state !== null && ['Resolved', 'Closed', 'Canceled'].includes(link.state);
    const state = news.isEnded && !wasEnded ? resolved : !news.isEnded && wasEnded ? inProgress : undefined;
    const end = state === resolved ? { close_code: target.itemType || 'Solved (Permanently)', close_notes: sentence } : {};
    // State and sentence are one call: what has the sentence has the state too.
    if (!(await isWritten())) await change({ ...title, ...(state ? { state, ...end } : {}), work_notes: markedSentence(news, sentence) });
    if (state) await store({ ...link, state: labels[state] ?? state });
  },
};

/** The latest entry of a journal begins with a line of its own: time, author and the field. */
const withoutHead = (text: string): string =>
  text.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d - .*\((?:Work notes|Additional comments|Comments)\)\s*\n/i, '').trim();

/** Times there are of UTC, without saying so. */
const timeOf = (text: string): string | null => {
  const at = Date.parse(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
};

export const readServiceNow: ReadCall = ({ header, bytes }, { secrets, place, address }) => {
  const token = /^Bearer +(\S+)$/i.exec(header('authorization'))?.[1] ?? header('x-cloudfit-token');
  if (!secrets.some((secret) => isSame(secret, token)))
    return {
      kind: 'refused',
      message: 'Send the secret of the subscription as Authorization: Bearer, as the business rule in docs/CHAT.md does.',
    };
  const json = parsedJson(bytes.toString());
  const id = textAt(json, 'sys_id');
  if (!json || !/^[0-9a-f]{32}$/.test(id)) return { kind: 'malformed', message: 'The body is no JSON with the sys_id of a record.' };
  const state = textAt(json, 'state');
  const label = textAt(json, 'state_label') || labels[state] || state;
  const text = withoutHead(textAt(json, 'comment'));
  const by = textAt(json, 'by') || 'somebody';
  const isDeleted = textAt(json, 'event') === 'deleted';
  const link = linkOf(id, textAt(json, 'number'), { address, place });
  return {
    kind: 'ticket',
    callKey: textAt(json, 'event_id'),
    link: { ...link, state: isDeleted ? 'deleted' : label || null, at: timeOf(textAt(json, 'updated')) },
    phase: isDeleted ? 'gone' : state === '' ? undefined : ended.has(state) ? 'closed' : 'open',
    stateText: isDeleted ? 'deleted' : label,
    by,
    ...(text !== '' && !isMarked(text) ? { comment: { text, by, url: link.url ?? '' } } : {}),
    ...(textAt(json, 'title') === '' ? {} : { title: textAt(json, 'title') }),
  };
};

/** The record that an address of the instance names. */
export function linkOfServiceNow({ url, id, place, address }: ReferenceOfUnit): LinkState | undefined {
  const [, key] = /[?&]sys_id=([0-9a-f]{32})(?:&.*)?$/.exec(url) ?? /^([0-9a-f]{32})$/.exec(id) ?? [];
  const isThere = URL.canParse(url) && URL.canParse(address) && new URL(url).host === new URL(address).host;
  return key !== undefined && isThere && url.includes(`/${place}.do`) ? { ...linkOf(key, '', { address, place }), url } : undefined;
}
