/** Spreadsheets go into lists: columns are recognized, cells checked, rows tried, written once, and result back as one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestoreOutcome } from '@cloudfit/contract/configuration.ts';
import type { ListInput, ListOutcome } from '@cloudfit/contract/configuration/import-list.ts';
import { createWorld, holder, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
const all = holder('all');
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

type ListParameters = Partial<ListInput> & Pick<ListInput, 'list' | 'tenantId' | 'text'>;
async function take(parameters: ListParameters, by = all): Promise<ListOutcome> {
  const answer = await world.call(by, 'POST', '/v1/lists/import', parameters);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return answer.body as unknown as ListOutcome;
}
const counts = ({ added, changed, unchanged, refusedRows }: ListOutcome) => [added, changed, unchanged, refusedRows];
const rowsOf = async (path: string, by = all) => (await world.call(by, 'GET', path)).body['value'] as unknown as Record<string, unknown>[];

describe('devices', () => {
  const text = [
    'Gerät;Beschreibung;Schlagworte;Standort;Betriebssystem;Aktiv;Depends on;Nothing',
    'web-1;"Front, with ""quotes""',
    'and a second line";site:Riga, prod;Mill;Linux;ja;db-1;x',
    "db-1;'=SUM(A1);;;Windows;nein;;",
  ].join('\r\n');

  it('are tried, written once, changed by a second file, and result back as one', async () => {
    const { tenantId } = await world.tenant();
    await world.call(all, 'PUT', '/v1/locations', { name: 'Mill', tenantId });
    const tried = await take({ list: 'devices', tenantId, text });
    expect(tried).toMatchObject({ delimiter: ';', key: 'name', lacks: [], rows: 2, refused: [], dryRun: true });
    expect(tried.columns).toEqual(['name', 'description', 'tags', 'locationId', 'operatingSystemId', 'enabled', 'parentDeviceId', null]);
    expect(counts(tried)).toEqual([2, 0, 0, 0]);
    expect(await rowsOf(`/v1/devices?$filter=tenantId eq ${tenantId}`)).toEqual([]);

    const first = await take({ list: 'devices', tenantId, text, dryRun: false });
    expect(counts(first)).toEqual([2, 0, 0, 0]);
    const rows = await rowsOf(`/v1/devices?$filter=tenantId eq ${tenantId}&$expand=location,parentDevice&$orderby=name`);
    expect(rows).toMatchObject([
      { name: 'db-1', description: '=SUM(A1)', enabled: false },
      {
        name: 'web-1',
        description: 'Front, with "quotes"\nand a second line',
        tags: 'site:Riga, prod',
        enabled: true,
        location: { name: 'Mill' },
        parentDevice: { name: 'db-1' },
      },
    ]);
    expect(counts(await take({ list: 'devices', tenantId, text, dryRun: false }))).toEqual([0, 0, 2, 0]);
    const changed = await take({ list: 'devices', tenantId, text: 'Name,Tags\nWEB-1,site:Oslo\n', dryRun: false });
    expect(counts(changed)).toEqual([0, 1, 0, 0]);
    expect(changed.changes[0]).toMatchObject({
      line: 2,
      verb: 'change',
      fields: expect.arrayContaining([{ field: 'tags', before: 'site:Riga, prod', after: 'site:Oslo' }]),
    });

    const restore = (changeSet: string | undefined) =>
      world
        .call(all, 'POST', '/v1/configuration/restore', { changeSet, dryRun: false })
        .then(({ body }) => body as unknown as RestoreOutcome);
    expect(await restore(changed.changeSet)).toMatchObject({ left: [], changes: [{ verb: 'change' }] });
    expect((await rowsOf(`/v1/devices?$filter=tenantId eq ${tenantId} and tags eq 'site:Riga, prod'`)).map(({ name }) => name)).toEqual([
      'web-1',
    ]);
    expect((await restore(first.changeSet)).left).toEqual([]);
    expect(await rowsOf(`/v1/devices?$filter=tenantId eq ${tenantId}`)).toEqual([]);
  });

  it('says of each wrong cell what to do, and gives these lines back as a file', async () => {
    const { tenantId } = await world.tenant('Harbour');
    await world.tenant('Quay');
    const wrong = [
      'name,location,os,heartbeat,tenant',
      'good,,Ubuntu 24.04,60,Harbour',
      'a,Nowhere,Linux,60,',
      '"b, c",,Amiga,often,',
      'd,,,60,Quay',
      'good,,,60,',
      ',,Linux,60,',
      'e,,Linux,60,,too,many',
    ].join('\n');
    const tried = await take({ list: 'devices', tenantId, text: wrong });
    expect(counts(tried)).toEqual([0, 0, 0, 7]);
    expect(tried.refused.map(({ line, column }) => [line, column])).toEqual([
      [3, 'locationId'],
      [4, 'operatingSystemId'],
      [4, 'heartbeatInterval'],
      [5, 'tenant'],
      [6, 'name'],
      [7, 'name'],
      [8, null],
    ]);
    expect(tried.refused[0]?.message).toBe('There is no location "Nowhere" in this tenant. Create it first, or correct the name.');
    const lines = tried.refusedCsv.split('\r\n');
    expect(lines[0]).toBe('\uFEFF"name","location","os","heartbeat","tenant","Reason"');
    expect(lines.find((line) => line.startsWith('"b, c"'))).toContain('Amiga');
    const [person] = await world.system.db.query<{ id: string }>({
      text: `insert into person (name, user_name, locale) values ('Ida', 'ida@example.com', '{"language":"de"}') returning person_id as id`,
    });
    const ida = { ...all, actor: { kind: 'person' as const, id: person?.id ?? '', name: 'Ida', userName: 'ida@example.com' } };
    const { refusedCsv } = await take({ list: 'devices', tenantId, text: wrong }, ida);
    expect(refusedCsv).toContain('"tenant","Grund"\r\n');
    expect(refusedCsv).toContain('location: In diesem Mandanten gibt es');
    expect(refusedCsv).not.toContain('in this tenant');
    // The refused lines are a file that can be imported once it is corrected.
    const corrected = await take({ list: 'devices', tenantId, text: tried.refusedCsv.replaceAll('Nowhere', '') });
    expect(corrected.columns).toEqual(['name', 'locationId', 'operatingSystemId', 'heartbeatInterval', 'tenant', null]);
  });

  it('belong to the tenant and the rights of the caller', async () => {
    const [here, there] = [await world.tenant(), await world.tenant()];
    const [device] = (await take({ list: 'devices', tenantId: there.tenantId, text: 'name\nsecret', dryRun: false })).changes;
    const by = holder([here.tenantId]);
    const byId = await take(
      { list: 'devices', tenantId: here.tenantId, text: `device id,description\n${String(device?.key)},mine`, key: 'deviceId' },
      by,
    );
    expect(byId.refused[0]?.message).toMatch(/no device with this id/);
    const status = async (caller: typeof all, tenantId: string) =>
      (await world.call(caller, 'POST', '/v1/lists/import', { list: 'devices', tenantId, text: 'name\nx' })).status;
    expect(await status(by, there.tenantId)).toBe(404);
    expect(await status(holder([here.tenantId], ['CloudFit.CFS.Devices:view']), here.tenantId)).toBe(403);
    // Rights for devices are enough.
    const devices = ['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Devices:edit'];
    expect(await status(holder([here.tenantId], devices), here.tenantId)).toBe(200);
  });
});

describe('the other lists', () => {
  it('people get their permission sets, once, and a second set in a further line', async () => {
    const { tenantId } = await world.tenant();
    for (const name of ['Desk', 'Night desk'])
      await world.call(all, 'PUT', '/v1/permissionSets', { name, tenantId, permissions: ['CloudFit.CFS.Devices:view'] });
    const text = `Anzeigename\tE-Mail\tRolle\nAda\tada@${tenantId}.example.com\tDesk\nAda\tada@${tenantId}.example.com\tNight desk\nBo\tbo@${tenantId}.example.com\t\nCy\tcy@${tenantId}.example.com\tRoot\n`;
    expect(counts(await take({ list: 'people', tenantId, text }))).toEqual([4, 0, 0, 1]);
    const first = await take({ list: 'people', tenantId, text, dryRun: false });
    expect(counts(first)).toEqual([4, 0, 0, 1]);
    expect(first.refused).toMatchObject(
      [{ line: 5, column: 'permissionSet', message: /no permission set "Root"/ }].map((item) => ({
        ...item,
        message: expect.stringMatching(item.message) as string,
      })),
    );
    expect(counts(await take({ list: 'people', tenantId, text, dryRun: false }))).toEqual([0, 0, 4, 1]);
    const sets = await rowsOf(`/v1/grants?$filter=tenantId eq ${tenantId}&$expand=person,permissionSet`);
    expect(
      sets.map((row) => [(row['person'] as { userName: string }).userName, (row['permissionSet'] as { name: string }).name]).toSorted(),
    ).toEqual([
      [`ada@${tenantId}.example.com`, 'Desk'],
      [`ada@${tenantId}.example.com`, 'Night desk'],
    ]);
    const restored = await world.call(all, 'POST', '/v1/configuration/restore', { changeSet: first.changeSet, dryRun: false });
    expect(restored.body['left']).toEqual([]);
    // People are never deleted, so they are disabled.
    expect(await rowsOf(`/v1/people?$filter=email eq 'ada@${tenantId}.example.com'`)).toMatchObject([{ enabled: false }]);
    expect(await rowsOf(`/v1/grants?$filter=tenantId eq ${tenantId}`)).toEqual([]);
  });

  it('categories with their subcategories, contacts and holidays of a calendar', async () => {
    const { tenantId } = await world.tenant();
    const categories = 'Kategorie;Unterkategorie;Typ\nMail;Outlook;Incident\nMail;Spam;Incident\nAccess;;\n'.replace('Kategorie', 'Name');
    expect(counts(await take({ list: 'workUnitCategories', tenantId, text: categories, dryRun: false }))).toEqual([4, 0, 0, 0]);
    expect(counts(await take({ list: 'workUnitCategories', tenantId, text: categories, dryRun: false }))).toEqual([0, 0, 4, 0]);

    const contacts = 'Name,E-Mail,Telefon,Sprache,Minimum Severity\nAda,ada@example.com,+49 30 123,Deutsch,Sev1\nBo,bo,,,\n';
    const result = await take({ list: 'communicationContacts', tenantId, text: contacts, dryRun: false });
    expect(counts(result)).toEqual([1, 0, 0, 1]);
    expect(result.refused).toEqual([{ line: 3, column: 'email', message: 'Please enter one mail address, such as name@example.com.' }]);
    expect(await rowsOf(`/v1/communicationContacts?$filter=tenantId eq ${tenantId}`)).toMatchObject([
      { name: 'Ada', phone: '+49 30 123', language: 'de', minimumSeverity: 'Sev1' },
    ]);

    await world.call(all, 'PUT', '/v1/workingCalendars', { name: 'Berlin', tenantId, timeZone: 'Europe/Berlin', holidays: ['2026-12-25'] });
    const holidays = 'Datum;Feiertag\n25.12.2026;Weihnachten\n1.1.2027;Neujahr\n31.2.2027;Nie\n';
    const days = await take({ list: 'holidays', tenantId, text: holidays, dryRun: false });
    expect(days.refused).toMatchObject([{ line: 4, column: 'date' }]);
    expect(counts(days)).toEqual([0, 1, 0, 1]);
    expect(counts(await take({ list: 'holidays', tenantId, text: holidays.replace('31.2.', '6.1.'), dryRun: false }))).toEqual([
      0, 1, 0, 0,
    ]);
    const [calendar] = await rowsOf(`/v1/workingCalendars?$filter=tenantId eq ${tenantId}`);
    expect(calendar?.['holidays']).toEqual(['2026-12-25', '2027-01-01', '2027-01-06']);
  });

  it('asks which comes first in dates that can be read in two ways, and reads nothing before', async () => {
    const { tenantId } = await world.tenant();
    await world.call(all, 'PUT', '/v1/workingCalendars', { name: 'Riga', tenantId, timeZone: 'UTC' });
    const text = 'date\n03/04/2027\n05/06/2027\n';
    expect(await take({ list: 'holidays', tenantId, text })).toMatchObject({ ambiguousDates: 'date', changes: [] });
    expect((await world.call(all, 'POST', '/v1/lists/import', { list: 'holidays', tenantId, text, dryRun: false })).status).toBe(400);
    const chosen = await take({ list: 'holidays', tenantId, text, dateOrder: 'month-first' });
    expect(chosen.changes[0]?.fields).toMatchObject([{ field: 'holidays', after: ['2027-03-04', '2027-05-06'] }]);
    // One date that can be read in one way only tells how the others are read.
    expect((await take({ list: 'holidays', tenantId, text: `${text}13/06/2027\n` })).ambiguousDates).toBeNull();
  });

  it('says what a text is that is no table, and which column is missing', async () => {
    const { tenantId } = await world.tenant();
    const refusal = async (text: string) =>
      (await world.call(all, 'POST', '/v1/lists/import', { list: 'locations', tenantId, text })).body['error'];
    expect(await refusal('')).toMatchObject({ message: 'This table is empty. Its first line has the headings of the columns.' });
    expect(await refusal('name\n"open')).toMatchObject({ message: expect.stringMatching(/quotation mark is not closed/) as string });
    expect(await take({ list: 'locations', tenantId, text: 'sep=;\nWhere;Stadt\nMill;Riga' })).toMatchObject({
      lacks: ['name'],
      columns: [null, 'city'],
      added: 0,
    });
    const mapped = await take({ list: 'locations', tenantId, text: 'sep=;\nWhere;Stadt\nMill;Riga', columns: ['name', 'city'] });
    expect(mapped.changes).toMatchObject([{ line: 3, name: 'Mill' }]);
  });
});
