/** Access requests of unauthenticated callers: enabled by a setting, validated, and stored as a work unit. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { createWorld, holder, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let others: string;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  others = (await world.tenant()).tenantId;
});
afterAll(() => world.close());

const turn = (enabled: boolean) =>
  world.system.db.query({ text: "update feature set enabled = $1 where name = 'I3ERequestForm'", values: [enabled] });
beforeEach(async () => {
  await world.system.db.query({ text: 'delete from call_limit' });
  await turn(true);
});

const form = {
  requestType: 'newAccount',
  stakeholderFirstName: 'Ada',
  stakeholderMiddleInitial: 'B',
  stakeholderLastName: 'Okafor',
  stakeholderSuffix: 'Jr.',
  stakeholderEmail: 'ada@example.com',
  stakeholderPhoneNumber: '555-010-1234',
  stakeholderCitizenship: 'Norway',
  stakeholderDesignation: 'civilianEmployee',
  stakeholderOrganization: 'STARCOM',
  acknowledgement1: true,
  acknowledgement2: true,
};
const send = (body: Record<string, unknown>) => world.call(null, 'POST', '/api/v1/accessrequest', body);
const requests = async () =>
  (await world.call(holder([tenantId, others]), 'GET', "/v1/workunits?$filter=createdBy eq 'Access request'&$orderby=created desc")).body
    .value ?? [];
const wrong = (body: Record<string, unknown>) =>
  ((body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map((d) => [d.target, d.message]);

describe('a request', () => {
  it('becomes a work unit of the oldest tenant, due in two days', async () => {
    const answer = await send(form);
    await proves('[API-001][API-214] nobody signs in', () => expect(answer.status).toBe(200));
    await proves('[ACC-008] says that it is made', () => expect(answer.body).toEqual({ message: 'Successfully created access request.' }));
    const [unit] = await requests();
    expect(unit).toMatchObject({
      title: 'New account for Ada B Okafor Jr.',
      tenantId,
      stateId: 'New',
      stakeHolderFullName: 'Ada B Okafor Jr.',
      stakeHolderEmailAddress: 'ada@example.com',
      stakeHolderPhoneNumber: '555-010-1234',
    });
    await proves('[API-219] of the third severity', () => expect(unit?.['severityId']).toBe('Sev3'));
    await proves('[API-216] with a summary', () =>
      expect(unit?.['description']).toBe(
        'Request: New account\nName: Ada B Okafor Jr.\nEmail: ada@example.com\nPhone: 555-010-1234\nEnvironment: IL4\nCitizenship: Norway\nDesignation: civilianEmployee\nOrganization: STARCOM',
      ),
    );
    const start = Date.parse(String(unit?.['plannedStartTime']));
    await proves('[API-217] planned for now', () => expect(Math.abs(start - Date.now())).toBeLessThan(10_000));
    await proves('[API-218] due two days later', () =>
      expect(Date.parse(String(unit?.['plannedFinishTime'])) - start).toBe(2 * 86_400_000),
    );
  });

  it('[API-215] may be the summary alone, and decides neither tenant nor severity', async () => {
    const summary = {
      title: 'Please let me in',
      description: 'I lost my key.',
      stakeHolderFullName: 'Bo',
      stakeHolderEmailAddress: 'bo@example.com',
      stakeHolderPhoneNumber: '+47 22 12 34 56',
      plannedStartTime: '2030-01-01T00:00:00Z',
      plannedFinishTime: '2020-01-01T00:00:00Z',
      severityId: 'Sev0',
      tenantId: others,
    };
    expect((await send(summary)).status).toBe(200);
    expect((await requests())[0]).toMatchObject({ title: 'Please let me in', severityId: 'Sev3', tenantId });
    const bare = await send({ title: 'x', description: 'y' });
    expect(wrong(bare.body).map(([target]) => target)).toEqual([
      'stakeHolderFullName',
      'stakeHolderEmailAddress',
      'stakeHolderPhoneNumber',
    ]);
  });

  it.each([
    ['[ACC-012] [ACC-013]', { requestType: undefined }, 'requestType', 'Request type is required.'],
    ['[ACC-010]', { requestType: 'other' }, 'requestType', 'Request type is required.'],
    ['[ACC-014] [ACC-015]', { stakeholderFirstName: ' ' }, 'stakeholderFirstName', 'First name is required.'],
    ['[ACC-016] [ACC-017]', { stakeholderLastName: undefined }, 'stakeholderLastName', 'Last name is required.'],
    ['[ACC-018] [ACC-019]', { stakeholderMiddleInitial: 'AB' }, 'stakeholderMiddleInitial', 'Please enter a single character.'],
    ['[ACC-018] [ACC-019]', { stakeholderMiddleInitial: '7' }, 'stakeholderMiddleInitial', 'Please enter a single character.'],
    ['[ACC-020] [ACC-021]', { stakeholderEmail: '' }, 'stakeholderEmail', 'Email address is required.'],
    ['[ACC-022] [ACC-023]', { stakeholderEmail: 'ada at example' }, 'stakeholderEmail', 'Please enter a valid email address.'],
    ['[ACC-024] [ACC-025]', { stakeholderPhoneNumber: undefined }, 'stakeholderPhoneNumber', 'Phone number is required.'],
    [
      '[ACC-026] [ACC-027]',
      { stakeholderPhoneNumber: 'call me' },
      'stakeholderPhoneNumber',
      'Please enter a valid phone number (e.g. 555-010-1234 or +1 555 010 1234 x56).',
    ],
    ['[ACC-028] [ACC-030]', { requestType: 'passwordReset' }, 'targetAccountName', 'Account name is required.'],
    ['[ACC-029]', { requestType: 'passwordReset', targetAccountName: 'ada' }, 'targetAccountName', 'Please enter a valid email address.'],
    ['[ACC-032]', { accountLocation: 'IL5' }, 'accountLocation', 'Environment is required.'],
    ['[ACC-031] [ACC-037]', { accountLocation: '' }, 'accountLocation', 'Environment is required.'],
    ['[ACC-034] [ACC-037]', { stakeholderCitizenship: '' }, 'stakeholderCitizenship', 'Citizenship is required.'],
    ['[ACC-035] [ACC-037]', { stakeholderDesignation: '' }, 'stakeholderDesignation', 'Designation is required.'],
    ['[ACC-044]', { stakeholderDesignation: 'pilot' }, 'stakeholderDesignation', 'Designation is required.'],
    ['[ACC-036] [ACC-037]', { stakeholderOrganization: '' }, 'stakeholderOrganization', 'Organization is required.'],
    ['[ACC-045]', { stakeholderOrganization: 'NATO' }, 'stakeholderOrganization', 'Organization is required.'],
    ['[ACC-038]', { stakeholderDesignation: 'military' }, 'stakeholderRank', 'Grade is required.'],
    ['[ACC-039]', { stakeholderDesignation: 'contractor' }, 'stakeholderCompanyName', 'Company name is required.'],
    ['[ACC-040] [ACC-042]', { acknowledgement1: false }, 'acknowledgement1', 'Acknowledgement is required.'],
    ['[ACC-041] [ACC-042]', { acknowledgement2: undefined }, 'acknowledgement2', 'Acknowledgement is required.'],
    ['[ACC-043]', { stakeholderSuffix: 'Sir' }, 'stakeholderSuffix', 'Suffix is one of Jr., Sr., II, III, IV.'],
  ])('%s is refused with %j', async (_id, change, target, message) => {
    const answer = await send({ ...form, ...change });
    expect([answer.status, wrong(answer.body)]).toEqual([400, [[target, message]]]);
  });

  it('[ACC-033] is for IL4 unless it says otherwise', async () => {
    await send({ ...form, accountLocation: 'Commercial' });
    expect((await requests())[0]?.['description']).toContain('Environment: Commercial');
    await send(form);
    expect((await requests())[0]?.['description']).toContain('Environment: IL4');
  });
});

describe('against programs', () => {
  it('[ACC-006] offers nothing while the feature is off', async () => {
    await turn(false);
    expect((await send(form)).status).toBe(404);
  });

  it('keeps nothing of who fills in what people do not see', async () => {
    const before = (await requests()).length;
    expect((await send({ ...form, website: 'https://example.com' })).status).toBe(200);
    expect(await requests()).toHaveLength(before);
  });

  it('refuses what was filled in faster than anybody types', async () => {
    const quick = await send({ ...form, opened: new Date().toISOString() });
    expect([quick.status, wrong(quick.body)[0]?.[0]]).toEqual([400, 'opened']);
    expect((await send({ ...form, opened: new Date(Date.now() - 5_000).toISOString() })).status).toBe(200);
  });

  it('takes five an hour of one address', async () => {
    for (let i = 0; i < 5; i++) expect((await send(form)).status).toBe(200);
    const sixth = await send(form);
    expect([sixth.status, Number(sixth.headers['retry-after']) > 0]).toEqual([429, true]);
  });
});
