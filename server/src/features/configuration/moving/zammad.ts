/** Zammad: what its API answers about tickets and their articles, with or without the names of what they refer to. */
import type { ForeignAnswers } from './answers.ts';
import type { Moving } from './document.ts';
import { itemOf, itemsOf, textOf, type ForeignItem } from './reading.ts';
import { plainText } from './ticket-text.ts';
import { isEndedState, severityOf, stateOf } from './ticket-words.ts';

interface ZammadPerson {
  name: string;
  email: string;
  phone: string;
}

const byId = (answers: ForeignAnswers, kind: string): ReadonlyMap<string, ForeignItem> =>
  new Map(answers.of(kind).map(({ item }) => [textOf(item['id']), item]));

const fullName = (user: ForeignItem): string => [textOf(user['firstname']), textOf(user['lastname'])].filter(Boolean).join(' ');

/** `"Ann Berg" <ann@example.com>` as its parts. */
function senderOf(from: string): { name: string; email: string } {
  const [, name = '', email = ''] = /^"?([^"<]*)"?\s*<([^>]+)>$/.exec(from) ?? [];
  return email === '' ? { name: from.includes('@') ? '' : from, email: from.includes('@') ? from : '' } : { name: name.trim(), email };
}

export function convertZammad(answers: ForeignAnswers, moving: Moving): void {
  const [users, states, priorities, groups] = ['users', 'states', 'priorities', 'groups'].map((kind) => byId(answers, kind));
  const articles = Map.groupBy(answers.of('articles'), ({ item }) => textOf(item['ticket_id']));
  const unreadStates = new Map<string, number>();
  const unreadPriorities = new Map<string, number>();
  let [attachments, notes, withoutArticles] = [0, 0, 0];

  /** Expanded answers have names, plain ones ids. */
  const named = (item: ForeignItem, field: string, of: ReadonlyMap<string, ForeignItem> | undefined): string =>
    textOf(item[field]) || textOf(of?.get(textOf(item[`${field}_id`]))?.['name']);

  function person(item: ForeignItem, field: string): ZammadPerson {
    const login = textOf(item[field]);
    const user =
      users?.get(textOf(item[`${field}_id`])) ??
      [...(users?.values() ?? [])].find((item) => textOf(item['login']) === login && login !== '') ??
      {};
    return {
      name: fullName(user) || (login.includes('@') ? '' : login),
      email: textOf(user['email']) || (login.includes('@') ? login : ''),
      phone: textOf(user['phone']) || textOf(user['mobile']),
    };
  }

  for (const { item: ticket } of answers.of('tickets')) {
    const number = textOf(ticket['number']);
    const created = textOf(ticket['created_at']);
    const there = { state: named(ticket, 'state', states), priority: named(ticket, 'priority', priorities) };
    const closed = textOf(ticket['close_at']) || undefined;
    const state = stateOf(there.state, closed);
    const severity = severityOf(there.priority);
    if (!state.isClear) unreadStates.set(there.state, (unreadStates.get(there.state) ?? 0) + 1);
    if (!severity.isClear) unreadPriorities.set(there.priority, (unreadPriorities.get(there.priority) ?? 0) + 1);
    const [customer, owner] = [person(ticket, 'customer'), person(ticket, 'owner')];
    const all = (articles.get(textOf(ticket['id'])) ?? []).map(({ item }) => item);
    if (all.length === 0) withoutArticles += 1;
    const read = all
      .toSorted((a, b) => Date.parse(textOf(a['created_at'])) - Date.parse(textOf(b['created_at'])))
      .map((article) => {
        const files = itemsOf(article['attachments'])
          .map((file) => textOf(file['filename']))
          .filter(Boolean);
        attachments += files.length;
        const sender = senderOf(textOf(article['from']));
        const writer = person(article, 'created_by');
        const isFromCustomer = named(article, 'sender', undefined) === 'Customer' || textOf(article['sender_id']) === '2';
        const text = plainText(textOf(article['body']), textOf(article['content_type']).includes('html'));
        return {
          at: textOf(article['created_at']),
          author: writer.email || sender.email || writer.name || sender.name || 'Zammad',
          text: [text, files.length > 0 ? `Attachments: ${files.join(', ')}` : ''].filter(Boolean).join('\n\n'),
          isExternal: article['internal'] !== true,
          isFromCustomer: isFromCustomer && article['internal'] !== true,
        };
      })
      .filter(({ text }) => text !== '');
    // The first article is what the ticket is about.
    const [first, ...others] = read;
    notes += others.length;
    moving.addTicket({
      number,
      title: textOf(ticket['title']) || number,
      stateId: state.stateId,
      severityId: severity.severityId,
      created,
      closed: isEndedState(state.stateId) ? closed : undefined,
      updated: textOf(ticket['updated_at']) || undefined,
      description: first?.text,
      requester: customer.name,
      requesterEmail: customer.email,
      requesterPhone: customer.phone,
      assignee: owner.email || (owner.name === '-' ? '' : owner.name),
      group: named(ticket, 'group', groups),
      notes: others,
    });
  }
  moving.count('tickets', answers.of('tickets').length);
  moving.count('articles', notes);
  moving.count('users', users?.size ?? 0);
  for (const [state, count] of unreadStates) moving.lacks(`State ${state}`, 'ticket-state', String(count));
  for (const [priority, count] of unreadPriorities) moving.lacks(`Priority ${priority}`, 'ticket-priority', String(count));
  if (attachments > 0) moving.lacks('Attachments', 'ticket-files', String(attachments));
  if (withoutArticles > 0) moving.lacks('Tickets', 'ticket-articles', String(withoutArticles));
  const merged = answers.of('tickets').filter(({ item }) => itemOf(item)['state'] === 'merged').length;
  if (merged > 0) moving.lacks('Merged tickets', 'ticket-merged', String(merged));
}
