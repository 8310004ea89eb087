import '../../testing/browser.ts';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { refused, renderApp, type Answers } from '../../testing/render-app.tsx';

const answers: Answers = {
  featureEnabled: true,
  accessRequest: { message: 'Successfully created access request.' },
};

beforeEach(() => {
  localStorage.clear();
  // Without an identity provider, the session logs an error.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

const open = (address = '/user/accessrequest', more: Answers = {}) => renderApp(address, { ...answers, ...more }, { signedIn: false });

async function field<T extends HTMLElement = HTMLInputElement>(label: RegExp): Promise<T> {
  return screen.findByLabelText<T>(label);
}
const fill = async (label: RegExp, value: string) => fireEvent.change(await field(label), { target: { value } });
const send = async () => fireEvent.click(await screen.findByRole('button', { name: 'Send request' }));

async function fillAll(requestType = 'newAccount') {
  await fill(/^Request type/, requestType);
  await fill(/^First name/, 'Ada');
  await fill(/^Last name/, 'Byron');
  await fill(/^Email address/, 'ada@example.com');
  await fill(/^Phone number/, '555-010-1234');
  await fill(/^Citizenship/, 'US');
  await fill(/^Organization/, 'SpOC');
  await fill(/^Designation/, 'civilianEmployee');
  for (const box of screen.getAllByRole('checkbox')) fireEvent.click(box);
}

it('is opened from the login page, by nobody in particular', async () => {
  const { router, calls } = await open('/user/login');
  await proves('[ACC-002] the login page has a button to log in', () => screen.findByRole('button', { name: 'Login' }));
  await proves('[ACC-005][ACC-006] and one to ask for access', async () =>
    fireEvent.click(await screen.findByRole('button', { name: 'Request Access or Reset Account' })),
  );
  await proves('[ACC-007] opens the form', async () => {
    await screen.findByRole('heading', { name: 'I3E Account Request' });
    expect(router.state.location.pathname).toBe('/user/accessrequest');
  });
  const type = await field<HTMLSelectElement>(/^Request type/);
  await proves('[ACC-001] asks for access or a password', () =>
    expect([...type.options].map((option) => option.text).slice(1)).toEqual(['New account', 'Password reset']),
  );
  await proves('[ACC-008] nobody signs in', () => expect(calls.some((call) => call.path === '/v1/currentUser')).toBe(false));
});

it('[ACC-006] is not offered while the feature is off, and says so at its address', async () => {
  const off = { featureEnabled: false };
  const { calls, unmount } = await open('/user/login', off);
  await screen.findByRole('button', { name: 'Login' });
  await waitFor(() => expect(calls.some((call) => call.path === '/v1/features/I3ERequestForm/enabled')).toBe(true));
  expect(screen.queryByRole('button', { name: 'Request Access or Reset Account' })).toBeNull();
  unmount();
  await open('/user/accessrequest', off);
  await screen.findByText('No requests here');
  expect(screen.queryByRole('button', { name: 'Send request' })).toBeNull();
});

it('[ACC-003] [ACC-004] a login with access denied says what to do', async () => {
  await open('/user/accessDenied');
  await screen.findByRole('heading', { name: 'You do not have access' });
  screen.getByText('Please contact your system administrator for access.');
  expect(await screen.findByRole('button', { name: 'Request Access or Reset Account' })).toBeTruthy();
});

it('has the fields and their choices', async () => {
  await open();
  await proves('[ACC-009] has the fields', async () => {
    for (const label of [/^First name/, /^Middle initial/, /^Last name/, /^Email address/, /^Phone number/, /^Citizenship/])
      expect((await field(label)).tagName).toBe('INPUT');
  });
  const values = async (label: RegExp) =>
    [...(await field<HTMLSelectElement>(label)).options].map((option) => option.value).filter(Boolean);
  expect(await values(/^Request type/)).toEqual(['newAccount', 'passwordReset']);
  expect(await values(/^Environment/)).toEqual(['IL4', 'Commercial']);
  await proves('[ACC-033] begins with IL4', async () => expect((await field<HTMLSelectElement>(/^Environment/)).value).toBe('IL4'));
  await proves('[ACC-043] offers suffixes', async () => expect(await values(/^Suffix/)).toEqual(['Jr.', 'Sr.', 'II', 'III', 'IV']));
  await proves('[ACC-044] offers designations', async () =>
    expect(await values(/^Designation/)).toEqual(['military', 'civilianEmployee', 'contractor']),
  );
  await proves('[ACC-045] offers organizations', async () =>
    expect(await values(/^Organization/)).toEqual(['SSC', 'SLD 45 & 30', 'SAF/SQ', 'STARCOM', 'SpOC']),
  );
  expect(screen.getAllByRole('checkbox')).toHaveLength(2);
});

it('names what is missing', async () => {
  const { calls } = await open();
  await fill(/^Environment/, '');
  await send();
  for (const [requirement, text] of [
    ['[ACC-013] asks for the type', 'Request type is required.'],
    ['[ACC-015] asks for the first name', 'First name is required.'],
    ['[ACC-017] asks for the last name', 'Last name is required.'],
    ['[ACC-021] asks for the mail', 'Email address is required.'],
    ['[ACC-025] asks for the phone', 'Phone number is required.'],
    ['[ACC-031] asks for the environment', 'Environment is required.'],
    ['[ACC-037] asks for the citizenship', 'Citizenship is required.'],
    ['[ACC-037] asks for the designation', 'Designation is required.'],
    ['[ACC-037] asks for the organization', 'Organization is required.'],
  ] as const)
    await proves(requirement, () => screen.findByText(text));
  await proves('[ACC-042] asks for both acknowledgements', () =>
    expect(screen.getAllByText('Acknowledgement is required.')).toHaveLength(2),
  );
  expect(calls.some((call) => call.method === 'POST')).toBe(false);
});

it('a password reset asks for the account name', async () => {
  await open();
  await field(/^Request type/);
  expect(screen.queryByLabelText(/^Account name/)).toBeNull();
  await fillAll('passwordReset');
  await send();
  await proves('[ACC-028][ACC-030] asks for it', () => screen.findByText('Account name is required.'));
  await fill(/^Account name/, 'ada');
  await send();
  await proves('[ACC-029] it has the form of a mail address', () => screen.findByText('Please enter a valid email address.'));
  await proves('[ACC-010][ACC-011] a new account does not ask for it', async () => {
    await fill(/^Request type/, 'newAccount');
    await waitFor(() => expect(screen.queryByLabelText(/^Account name/)).toBeNull());
  });
});

it('says what is wrong with what was typed', async () => {
  await open();
  await fill(/^Middle initial/, 'AB');
  await fill(/^Email address/, 'ada at example');
  await fill(/^Phone number/, 'call me');
  await send();
  await proves('[ACC-019] two initials', () => screen.findByText('Please enter a single character.'));
  await proves('[ACC-023] no mail address', () => screen.findByText('Please enter a valid email address.'));
  await proves('[ACC-027] no phone number', () =>
    screen.findByText('Please enter a valid phone number (e.g. 555-010-1234 or +1 555 010 1234 x56).'),
  );
});

it('[ACC-038] [ACC-039] asks for the grade of the military and for the company of contractors', async () => {
  await open();
  await fillAll();
  await fill(/^Designation/, 'military');
  await field(/^Grade/);
  await send();
  await screen.findByText('Grade is required.');
  await fill(/^Designation/, 'contractor');
  await field(/^Company name/);
  expect(screen.queryByLabelText(/^Grade/)).toBeNull();
  await send();
  expect(await screen.findByText('Company name is required.')).toBeTruthy();
});

it('sends the form and its summary, and says that it is made', async () => {
  const { calls } = await open();
  await fillAll();
  await send();
  await proves('[ACC-046] says that it is made', () => screen.findByText('Successfully created access request.'));
  const call = calls.find((call) => call.method === 'POST');
  await proves('[API-214] nobody is signed in', () => expect(call?.path).toBe('/v1/accessrequest'));
  await proves('[API-215] has these fields', () =>
    expect(call?.body).toMatchObject({
      requestType: 'newAccount',
      accountLocation: 'IL4',
      targetAccountName: null,
      acknowledgement1: true,
      acknowledgement2: true,
      title: 'New account for Ada Byron',
      description: expect.stringContaining('Organization: SpOC') as string,
      stakeHolderFullName: 'Ada Byron',
      stakeHolderEmailAddress: 'ada@example.com',
      stakeHolderPhoneNumber: '555-010-1234',
      severityId: 'Sev3',
      website: '',
    }),
  );
  const body = call?.body as { plannedStartTime: string; plannedFinishTime: string };
  expect(Date.parse(body.plannedFinishTime) - Date.parse(body.plannedStartTime)).toBe(2 * 86_400_000);
  expect(screen.getByRole('link', { name: 'Back to login' }).getAttribute('href')).toBe('/user/login');
});

it('[ERR-032] a failed request says so, keeps everything, and adds when to come back', async () => {
  await open(undefined, { accessRequest: refused(429, 'Too many requests from your network. Try again in an hour.') });
  await fillAll();
  await send();
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toBe('A problem occurred. Please try again. Too many requests from your network. Try again in an hour.');
  expect((await field(/^First name/)).value).toBe('Ada');
});

it('[ERR-032] what the server refuses stands at its field', async () => {
  const details = [{ target: 'stakeholderEmail', message: 'Please enter a valid email address.' }];
  await open(undefined, { accessRequest: refused(400, 'x', details) });
  await fillAll();
  await send();
  await screen.findByText('Please enter a valid email address.');
  expect((await screen.findByRole('alert')).textContent).toBe('A problem occurred. Please try again. ');
});
