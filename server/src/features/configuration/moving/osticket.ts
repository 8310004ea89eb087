/** osTicket: the tables of its database, from a dump. */
import type { ForeignAnswers } from './answers.ts';
import type { Moving } from './document.ts';
import { itemsOf, textOf, type ForeignItem } from './reading.ts';
import { plainText } from './ticket-text.ts';
import { isEndedState, severityOf, stateOf } from './ticket-words.ts';

/** A time of the database, which has no time zone; undefined for none. */
function timeOf(value: unknown): string | undefined {
  const text = textOf(value);
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}/.test(text) && !text.startsWith('0000')
    ? `${text.slice(0, 10)}T${text.slice(11, 19)}Z`
    : undefined;
}

/** Names of people are stored as they are, or as JSON by parts. */
const staffName = (staff: ForeignItem): string => [textOf(staff['firstname']), textOf(staff['lastname'])].filter(Boolean).join(' ');

export function convertOsTicket(answers: ForeignAnswers, moving: Moving): void {
  const tables = new Map<string, ForeignItem[]>();
  for (const { item } of answers.of('tables')) {
    // The prefix of the tables is chosen at the installation.
    const name = textOf(item['name']).replace(/^[a-z0-9]+_/i, '');
    tables.set(name, [...(tables.get(name) ?? []), ...itemsOf(item['data'])]);
  }
  const rows = (table: string): readonly ForeignItem[] => tables.get(table) ?? [];
  const index = (table: string, key: string): ReadonlyMap<string, ForeignItem> =>
    new Map(rows(table).map((row) => [textOf(row[key]), row]));
  const [users, emails, staff] = [index('user', 'id'), index('user_email', 'id'), index('staff', 'staff_id')];
  const [departments, teams, topics] = [index('department', 'id'), index('team', 'team_id'), index('help_topic', 'topic_id')];
  const [statuses, priorities, data] = [
    index('ticket_status', 'id'),
    index('ticket_priority', 'priority_id'),
    index('ticket__cdata', 'ticket_id'),
  ];
  const threads = new Map(
    rows('thread').flatMap((row) => (textOf(row['object_type']) === 'T' ? [[textOf(row['object_id']), textOf(row['id'])]] : [])),
  );
  const entries = Map.groupBy(rows('thread_entry'), (row) => textOf(row['thread_id']));
  const files = index('file', 'id');
  const attached = Map.groupBy(
    rows('attachment').filter((row) => textOf(row['type']) === 'H'),
    (row) => textOf(row['object_id']),
  );
  const unread = new Map<string, number>();
  let [attachments, notes, withoutEntries] = [0, 0, 0];

  const person = (id: unknown): { name: string; email: string } => {
    const user = users.get(textOf(id)) ?? {};
    return { name: textOf(user['name']), email: textOf(emails.get(textOf(user['default_email_id']))?.['address']) };
  };
  const agent = (id: unknown): string => {
    const row = staff.get(textOf(id)) ?? {};
    return textOf(row['email']) || staffName(row);
  };

  for (const ticket of rows('ticket')) {
    const id = textOf(ticket['ticket_id']);
    const created = timeOf(ticket['created']);
    const number = textOf(ticket['number']) || id;
    if (created === undefined) {
      moving.lacks(`Ticket ${number}`, 'unreadable-time', textOf(ticket['created']));
      continue;
    }
    const status = statuses.get(textOf(ticket['status_id'])) ?? {};
    const closed = timeOf(ticket['closed']);
    const byName = stateOf(textOf(status['name']), closed);
    // The names of statuses are free; what kind each is, is not.
    const state = byName.isClear ? byName : stateOf(textOf(status['state']), closed);
    if (!state.isClear) unread.set(textOf(status['name']), (unread.get(textOf(status['name'])) ?? 0) + 1);
    const more = data.get(id) ?? {};
    const priority = priorities.get(textOf(more['priority'])) ?? {};
    const requester = person(ticket['user_id']);
    const all = (entries.get(threads.get(id) ?? '') ?? []).toSorted((a, b) => Number(textOf(a['id'])) - Number(textOf(b['id'])));
    if (all.length === 0) withoutEntries += 1;
    const read = all.flatMap((entry) => {
      const names = (attached.get(textOf(entry['id'])) ?? [])
        .map((file) => textOf(file['name']) || textOf(files.get(textOf(file['file_id']))?.['name']))
        .filter(Boolean);
      attachments += names.length;
      const type = textOf(entry['type']);
      const text = plainText(textOf(entry['body']), textOf(entry['format']) !== 'text');
      const writer = textOf(entry['staff_id']) === '0' ? person(entry['user_id']).email : agent(entry['staff_id']);
      const whole = [text, names.length > 0 ? `Attachments: ${names.join(', ')}` : ''].filter(Boolean).join('\n\n');
      const note = { at: timeOf(entry['created']) ?? created, author: writer || textOf(entry['poster']) || 'osTicket', text: whole };
      return whole === '' ? [] : [{ ...note, isExternal: type !== 'N', isFromCustomer: type === 'M' }];
    });
    const [first, ...others] = read;
    const begins = first?.isFromCustomer === true ? first : undefined;
    const remaining = begins ? others : read;
    notes += remaining.length;
    moving.addTicket({
      number,
      title: textOf(more['subject']) || textOf(all[0]?.['title']) || number,
      stateId: state.stateId,
      severityId: severityOf(textOf(priority['priority']) || textOf(priority['priority_desc'])).severityId,
      created,
      closed: isEndedState(state.stateId) ? closed : undefined,
      updated: timeOf(ticket['lastupdate']) ?? timeOf(ticket['updated']),
      description: begins?.text,
      requester: requester.name,
      requesterEmail: requester.email,
      assignee: agent(ticket['staff_id']),
      group: textOf(teams.get(textOf(ticket['team_id']))?.['name']) || textOf(departments.get(textOf(ticket['dept_id']))?.['name']),
      category: textOf(topics.get(textOf(ticket['topic_id']))?.['topic']),
      notes: remaining,
    });
  }
  moving.count('tickets', rows('ticket').length);
  moving.count('articles', notes);
  moving.count('users', users.size);
  for (const [name, count] of unread) moving.lacks(`State ${name}`, 'ticket-state', String(count));
  if (attachments > 0) moving.lacks('Attachments', 'ticket-files', String(attachments));
  if (withoutEntries > 0) moving.lacks('Tickets', 'ticket-articles', String(withoutEntries));
  moving.lacks('Times', 'ticket-times');
}
