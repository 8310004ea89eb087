/** Headings of spreadsheets and of exports of other programs, and texts of cells, as they are read. */
import { describe, expect, it } from 'vitest';
import type { ImportList } from '@cloudfit/contract/configuration/lists.ts';
import { severityOf, stateOf } from '../moving/ticket-words.ts';
import { numberIn } from './cells.ts';
import { ordersOf, readDate } from './dates.ts';
import { guessColumns } from './guess-columns.ts';
import type { MappedLine } from './mapped-lines.ts';
import { readTable } from './read-table.ts';
import { ticketOf } from './ticket-lines.ts';

it.each<[ImportList, string, (string | null)[]]>([
  ['devices', 'Site,Hostname,OS,Status,Labels', ['locationId', 'name', 'operatingSystemId', null, 'tags']],
  ['devices', 'Device ID,Name,Location,Depends on', ['deviceId', 'name', 'locationId', 'parentDeviceId']],
  ['locations', 'Standort,Straße,PLZ,Ort,Land', ['name', 'address1', 'postalCode', 'city', 'country']],
  ['locations', 'Location,City', ['name', 'city']],
  ['people', 'Vorname,Nachname,E-Mail-Adresse,Rolle', ['firstName', 'lastName', 'email', 'permissionSet']],
  ['holidays', 'Feiertag,Datum,Kalender', [null, 'date', 'calendar']],
  [
    'tickets',
    'Issue Type,Issue key,Issue id,Summary,Status,Comment,Comment',
    ['category', 'number', null, 'title', 'state', 'comments', 'comments'],
  ],
  [
    'tickets',
    'number,short_description,state,priority,opened_at,closed_at,caller_id,assigned_to,comments_and_work_notes',
    ['number', 'title', 'state', 'priority', 'created', 'closed', 'requester', 'assignee', 'comments'],
  ],
  [
    'tickets',
    'ID,Titel,Status,Priorität,Erstellt am,Gelöst am,Melder,Bearbeiter',
    ['number', 'title', 'state', 'priority', 'created', 'closed', 'requester', 'assignee'],
  ],
])('%s: %s', (list, headings, columns) => {
  expect(guessColumns(list, headings.split(','))).toEqual(columns);
});

describe('dates', () => {
  it.each([
    ['2026-12-25', '2026-12-25T00:00:00.000Z'],
    ['2026-12-25 14:30', '2026-12-25T14:30:00.000Z'],
    ['2026-12-25T14:30:15.250+02:00', '2026-12-25T12:30:15.000Z'],
    ['2026/12/25 14:30:15 UTC', '2026-12-25T14:30:15.000Z'],
    ['25.12.2026 14:30 Uhr', '2026-12-25T14:30:00.000Z'],
    ['25.12.26', '2026-12-25T00:00:00.000Z'],
    ['12/25/2026 12:05 AM', '2026-12-25T00:05:00.000Z'],
    ['12/25/2026, 2:30:00 PM', '2026-12-25T14:30:00.000Z'],
    ['27/Jan/24 3:04 PM', '2024-01-27T15:04:00.000Z'],
    ['5. Mai 2026', '2026-05-05T00:00:00.000Z'],
    ['Fri, 25 Dec 2026 14:30:00 -0500', '2026-12-25T19:30:00.000Z'],
    ['December 25, 2026', '2026-12-25T00:00:00.000Z'],
  ])('%s', (text, at) => expect(readDate(text, 'month-first', 'UTC')?.at).toBe(at));

  it.each(['31.02.2026', '2026-13-01', 'yesterday', '25/25/2026', '12:30', '2026-12-25 12:75'])('%s is none', (text) =>
    expect(readDate(text, 'day-first', 'UTC')).toBeUndefined(),
  );

  it('have the time of their zone, also when clocks change', () => {
    expect(readDate('25.07.2026 10:00', 'day-first', 'Europe/Berlin')?.at).toBe('2026-07-25T08:00:00.000Z');
    // The hour that does not exist is the one after; the one that exists twice is the first.
    expect(readDate('29.03.2026 02:30', 'day-first', 'Europe/Berlin')?.at).toBe('2026-03-29T01:30:00.000Z');
    expect(readDate('25.10.2026 02:30', 'day-first', 'Europe/Berlin')?.at).toBe('2026-10-25T00:30:00.000Z');
  });

  it('say which of their numbers is the day, or that they do not', () => {
    expect(['03/04/2026', '13/04/2026', '04/13/2026', '3.4.2026', '5/5/2026', '2026-03-04'].map(ordersOf)).toEqual([
      ['day-first', 'month-first'],
      ['day-first'],
      ['month-first'],
      ['day-first'],
      [],
      [],
    ]);
  });
});

it.each([
  ['1.234,5', 1_234.5],
  ['1,234.5', 1_234.5],
  ["1'234", 1_234],
  ['60,0', 60],
  ['-3', -3],
  ['1.234.567', 1_234_567],
  ['often', undefined],
])('reads the number %s', (text, number) => expect(numberIn(text)).toBe(number));

it.each([
  ['a;b,c\n1;2,3\n4;5,6', ';', ['a', 'b,c']],
  ['a\tb\n"x, y, z"\t2', '\t', ['a', 'b']],
  ['"a;b";"c,d"\n1;2', ';', ['a;b', 'c,d']],
  ['name\n"x"\na, b', '|', ['name']],
  ['sep=|\na|b\n1|2', '|', ['a', 'b']],
])('tells the delimiter of %j', async (text, delimiter, headings) => {
  expect(await readTable({ text })).toMatchObject({ delimiter, headings });
});

it('counts lines as an editor does, and reads what guards a formula as the text', async () => {
  const { lines } = await readTable({ text: '\uFEFFa,b\r\n"x\r\ny",\'=1+1\r\n\r\n,\r\n\'plain,-5\r\n' });
  expect(lines).toEqual([
    { line: 2, cells: ['x\ny', '=1+1'] },
    { line: 6, cells: ["'plain", '-5'] },
  ]);
});

it('takes states and priorities of other programs', () => {
  const states = ['new', 'Offen', 'pending reminder', 'In Progress', 'GELÖST', 'closed (unsuccessful)', 'Cancelled', 'merged'];
  expect(states.map((state) => stateOf(state, undefined).stateId)).toEqual([
    'New',
    'Acknowledged',
    'OnHold',
    'InProgress',
    'Resolved',
    'Closed',
    'Canceled',
    'Closed',
  ]);
  expect(stateOf('Sleeping', '2026-01-01T00:00:00Z')).toEqual({ stateId: 'Closed', isClear: false });
  const priorities = ['1 low', '2 normal', '3 high', '1 - Critical', 'P2', 'Dringend', '4', ''];
  expect(priorities.map((priority) => severityOf(priority).severityId)).toEqual([
    'Sev4',
    'Sev3',
    'Sev2',
    'Sev1',
    'Sev2',
    'Sev1',
    'Sev4',
    'Sev3',
  ]);
});

it.each([
  ['2026-01-02 10:00 Ann: one\n2026-01-03 11:00 Bo: two\nand more', ['2026-01-02T10 Ann one', '2026-01-03T11 Bo two\nand more']],
  ['[02.01.2026 10:00] Ann: one', ['2026-01-02T10 Ann one']],
  ['27/Jan/26 3:04 PM;ann;one', ['2026-01-27T15 ann one']],
  [
    '2026-01-03 11:00:00 - Bo (Additional comments)\ntwo\n\n2026-01-02 10:00:00 - Ann Berg (Work notes)\none\n',
    ['2026-01-03T11 Bo two (external)', '2026-01-02T10 Ann Berg one'],
  ],
  ['No time: at all\n2026 was good', ['2026-01-01T00 Desk No time: at all\n2026 was good']],
])('reads the comments %j', (comments, notes) => {
  const reading = { tenantId: 't', source: 'Desk', dateOrder: 'day-first', timeZone: 'UTC', remark: () => undefined } as const;
  const values = new Map(Object.entries({ number: '1', title: 'Title', created: '2026-01-01', comments }));
  const line: MappedLine = { line: 2, cells: [], values, isLonger: false };
  const read = ticketOf(reading, [line]).notes.map(
    ({ at, author, text, isExternal }) => `${at.slice(0, 13)} ${author} ${text}${isExternal ? ' (external)' : ''}`,
  );
  expect(read).toEqual(notes);
});
