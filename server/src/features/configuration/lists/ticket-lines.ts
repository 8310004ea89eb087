/** Makes a ticket of the lines of a file that have its number. */
import type { DateOrder } from '@cloudfit/contract/configuration/lists.ts';
import type { Ticket, TicketNote } from '@cloudfit/contract/configuration/tickets.ts';
import { severityOf, stateOf } from '../moving/ticket-words.ts';
import { CellFault } from './cells.ts';
import { readDate } from './dates.ts';
import { cellsOf, type MappedLine } from './mapped-lines.ts';

export interface TicketReading {
  tenantId: string;
  source: string;
  dateOrder: DateOrder;
  timeZone: string;
  /** Called with what a value of the file becomes, when it is not the same. */
  remark: (text: string) => void;
}

function timeIn({ dateOrder, timeZone }: TicketReading, { values }: MappedLine, column: string): string | undefined {
  const cell = values.get(column);
  if (cell === undefined) return undefined;
  const read = readDate(cell, dateOrder, timeZone);
  if (!read) throw new CellFault(column, `"${cell}" is no time such as 2026-12-25 14:30.`);
  return read.at;
}

/** A comment that begins with its time, and perhaps its author: `2026-01-02 10:00 - Ann: text`, `27/Jan/26 3:04 PM;ann;text` of Jira, or `2026-01-02 10:00 - Ann (Work notes)` above the text of ServiceNow. */
const dated =
  /^\[?(\d{1,4}[-/.]\s?[\p{L}\d]{1,9}[-/.]\s?\d{2,4}(?:[T ,]+\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?(?:Z|[+-]\d{2}:?\d{2})?)?)\]?\s*(?:[-–;:,]\s*)?(?:([^:;\n]{1,80}?)(?:[:;]\s*| \((work notes|additional comments)[^)\n]*\)\s*\n))?/iu;

function notesIn(reading: TicketReading, value: string | undefined, otherwise: { at: string; author: string }): TicketNote[] {
  return cellsOf(value).flatMap((cell): TicketNote[] => {
    const parts = cell.split(/\n(?=\[?\d{1,4}[-/.]\s?[\p{L}\d]{1,9}[-/.]\s?\d{2,4}[T ,;\]])/iu);
    return parts.flatMap((part): TicketNote[] => {
      const begin = dated.exec(part);
      const read = begin?.[1] === undefined ? undefined : readDate(begin[1], reading.dateOrder, reading.timeZone);
      const text = (read && begin ? part.slice(begin[0].length) : part).trim();
      if (text === '') return [];
      const author = (read && begin?.[2]?.trim()) || otherwise.author;
      // ServiceNow says which comments the customer reads.
      const isExternal = read !== undefined && begin?.[3]?.toLowerCase() === 'additional comments';
      return [{ at: read?.at ?? otherwise.at, author, text, isExternal, isFromCustomer: false }];
    });
  });
}

/** Throws `CellFault` for a cell that cannot be read. The first line has the ticket; further ones add their comments. */
export function ticketOf(reading: TicketReading, lines: readonly MappedLine[]): Ticket {
  const { tenantId, source, remark } = reading;
  const [line] = lines;
  if (!line) throw new Error('A ticket has a line.');
  const text = (column: string, max: number): Record<string, string> => {
    const value = line.values.get(column)?.slice(0, max);
    return value === undefined ? {} : { [column]: value };
  };
  const number = line.values.get('number') ?? '';
  if (number === '') throw new CellFault('number', 'The number is empty. By it a ticket is recognized in a second import.');
  const title = line.values.get('title') ?? line.values.get('description')?.split('\n')[0] ?? '';
  if (title === '') throw new CellFault('title', 'The title is empty.');
  const closed = timeIn(reading, line, 'closed');
  const updated = timeIn(reading, line, 'updated');
  const created = timeIn(reading, line, 'created') ?? closed ?? updated;
  if (created === undefined) throw new CellFault('created', 'It is not said when the ticket was created.');
  if (closed !== undefined && closed < created)
    throw new CellFault('closed', 'The ticket was closed before it was created. Compare how the dates are read.');
  const there = { state: line.values.get('state') ?? '', priority: line.values.get('priority') ?? '' };
  const state = stateOf(there.state, closed);
  const severity = severityOf(there.priority);
  if (!state.isClear) remark(`The state "${there.state}" has no counterpart: ${state.stateId}.`);
  if (!severity.isClear) remark(`The priority "${there.priority}" has no counterpart: ${severity.severityId}.`);
  const author = line.values.get('requester') ?? line.values.get('requesterEmail') ?? source;
  const notes = lines.flatMap((item) =>
    notesIn(reading, item.values.get('comments'), { at: updated ?? closed ?? created, author: source }),
  );
  return {
    tenantId,
    source,
    number: number.slice(0, 200),
    title: title.replaceAll(/\s+/g, ' ').slice(0, 100_000),
    stateId: state.stateId,
    severityId: severity.severityId,
    created,
    ...(closed === undefined ? {} : { closed }),
    ...(updated === undefined ? {} : { updated }),
    ...text('description', 1_000_000),
    ...text('requesterEmail', 320),
    ...text('requesterPhone', 60),
    ...text('assignee', 320),
    ...text('group', 200),
    ...text('category', 200),
    ...text('resolution', 1_000_000),
    ...text('url', 2_000),
    ...(author === source ? {} : { requester: author.slice(0, 200) }),
    notes,
  };
}
