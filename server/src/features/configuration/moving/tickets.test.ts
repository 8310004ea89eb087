/** Tickets of Zammad and osTicket become work units over the API, with their articles, once. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import type { MovingOutcome } from '@cloudfit/contract/configuration/moving.ts';
import { createWorld, holder, type TestWorld } from '../../../testing/world.ts';
import { convertFiles } from './convert.ts';

const sample = (name: string): string => readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8');
const tenant = '0197f000-0000-7000-8000-00000000000a';
const ticketsOf = (...files: string[]) => {
  const outcome = convertFiles(
    files.map((text, at) => ({ name: `${at}`, text })),
    tenant,
    0,
  );
  return { ...outcome, tickets: outcome.document.rows['tickets'] ?? [] };
};

describe('Zammad', () => {
  it('gives tickets with their articles, and says what is not in the answers', () => {
    const { product, tickets, counts, without } = ticketsOf(sample('zammad.json'));
    expect(product).toBe('Zammad');
    expect(tickets).toEqual([
      {
        tenantId: tenant,
        source: 'Zammad',
        number: '22081',
        title: 'Printer on fire',
        stateId: 'Closed',
        severityId: 'Sev2',
        created: '2026-03-02T09:00:00.000Z',
        closed: '2026-03-03T08:00:00.000Z',
        updated: '2026-03-03T08:00:00.000Z',
        description: 'It burns.\nPlease come.\n\nAttachments: fire.jpg',
        requester: 'Bo Berg',
        requesterEmail: 'bo@example.com',
        requesterPhone: '+49 30 123',
        assignee: 'ann@example.com',
        group: 'Users',
        notes: [
          {
            at: '2026-03-02T09:10:00.000Z',
            author: 'ann@example.com',
            text: 'He smokes too much.',
            isExternal: false,
            isFromCustomer: false,
          },
          { at: '2026-03-03T08:00:00.000Z', author: 'ann@example.com', text: 'Put out.', isExternal: true, isFromCustomer: false },
        ],
      },
      expect.objectContaining({ number: '22082', stateId: 'OnHold', severityId: 'Sev3', description: 'Ten seconds.', notes: [] }),
    ]);
    expect(tickets[1]).not.toHaveProperty('assignee');
    expect(counts).toEqual([
      { kind: 'tickets', count: 2 },
      { kind: 'articles', count: 2 },
      { kind: 'users', count: 2 },
    ]);
    expect(without.map(({ reason, detail }) => [reason, detail])).toEqual([['ticket-files', '1']]);
  });

  it('is read without names too, from answers by id, from several pages, and from one with everything', () => {
    type Item = Record<string, unknown>;
    const all = JSON.parse(sample('zammad.json')) as Record<string, Item[]>;
    const expanded = ticketsOf(sample('zammad.json')).tickets;
    const bare = ({ group: _g, priority: _p, state: _s, owner: _o, customer: _c, ...item }: Item): Item => item;
    const ofId = (items: Item[]) => Object.fromEntries(items.map((item) => [String(item['id']), item]));
    const tickets = (all['/api/v1/tickets?expand=true'] ?? []).map(bare);
    const articles = [81, 82].flatMap((id) => all[`/api/v1/ticket_articles/by_ticket/${id}`] ?? []);
    const users = [...(all['/api/v1/users'] ?? []), { id: 1, login: '-', firstname: '-', lastname: '', email: '' }];
    const states = [
      { id: 3, name: 'pending reminder', state_type_id: 3 },
      { id: 4, name: 'closed', state_type_id: 5 },
    ];
    const priorities = [2, 3].map((id) => ({ id, name: id === 2 ? '2 normal' : '3 high', ui_icon: '' }));
    const groups = [{ id: 1, name: 'Users', follow_up_possible: 'yes' }];
    const pages = [tickets, articles, articles.slice(1), users, states, priorities, groups].map((items) => JSON.stringify(items));
    expect(ticketsOf(...pages).tickets).toEqual(expanded);
    const assets = {
      Ticket: ofId(tickets),
      User: ofId(users),
      TicketState: ofId(states),
      TicketPriority: ofId(priorities),
      Group: ofId(groups),
    };
    expect(ticketsOf(JSON.stringify({ tickets: [81, 82], assets }), JSON.stringify(articles)).tickets).toEqual(expanded);
  });
});

describe('osTicket', () => {
  it('gives the tickets of a dump, also as phpMyAdmin exports it', () => {
    const { product, tickets, without } = ticketsOf(sample('osticket.sql'));
    expect(product).toBe('OsTicket');
    expect(tickets).toMatchObject([
      {
        source: 'osTicket',
        number: '480123',
        title: 'It\'s the VPN; "again"',
        stateId: 'Closed',
        severityId: 'Sev1',
        created: '2026-02-01T08:00:00Z',
        closed: '2026-02-02T12:00:00Z',
        description: 'No tunnel.\n\nSince eight.\n\nAttachments: log.txt',
        requester: 'Cy Clay',
        requesterEmail: 'cy@example.com',
        assignee: 'ann@example.com',
        group: 'Support',
        category: 'Network',
        notes: [
          { author: 'ann@example.com', text: "Ask (the provider), then call; 'soon'.", isExternal: false },
          { at: '2026-02-02T12:00:00Z', text: 'It is back.', isExternal: true },
        ],
      },
      // A status with a name of its own is what its kind says.
      { number: '480124', stateId: 'Acknowledged', severityId: 'Sev3', description: 'A key is missing.', notes: [] },
    ]);
    expect(without.map(({ reason }) => reason)).toEqual(['ticket-files', 'ticket-times']);
    expect(() => ticketsOf(sample('osticket.sql').replace(/CREATE TABLE `ost_ticket`[^;]*;/, ''))).toThrow(
      /columns of ost_ticket are not in it/,
    );
  });
});

let world: TestWorld;
const all = holder('all');
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

async function post<T>(path: string, body: object): Promise<T> {
  const answer = await world.call(all, 'POST', path, body);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return answer.body as unknown as T;
}

it.each([
  ['zammad.json', '22081', 'Zammad'],
  ['osticket.sql', '480123', 'osTicket'],
])('%s is imported as work units once, with what each note was', async (name, number, source) => {
  const { tenantId } = await world.tenant();
  const files = [{ name, text: sample(name) }];
  const { document } = await post<MovingOutcome>('/v1/configuration/convert', { tenantId, files });
  const send = (dryRun: boolean) => post<ImportOutcome>('/v1/configuration', { ...document, tenantId, partly: true, dryRun });
  const tried = await send(true);
  expect([tried.added, tried.left, tried.missing]).toEqual([2, [], []]);
  expect((await send(false)).added).toBe(2);
  expect(await send(false)).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
  const { body } = await world.call(
    all,
    'GET',
    `/v1/workUnits?$filter=tenantId eq ${tenantId} and referenceId eq '${number}'&$expand=notes($orderby=created)`,
  );
  const [unit] = body['value'] as unknown as {
    createdBy: string;
    notes: { createdBy: string; isExternalNote: boolean; detail: string }[];
  }[];
  expect(unit?.notes.map(({ createdBy, isExternalNote }) => [createdBy, isExternalNote]).slice(0, 2)).toEqual([
    ['ann@example.com', false],
    ['ann@example.com', true],
  ]);
  expect(unit?.notes.at(-1)?.detail).toBe(`Imported from ${source}, where it is ${number}.`);
  // By the number of there, with the call for keys of other systems.
  const byKey = await world.call(all, 'GET', `/v1/workUnits/byKey?source=${source}&key=${number}&tenantId=${tenantId}`);
  expect([byKey.status, byKey.body['referenceId']]).toEqual([200, number]);
});
