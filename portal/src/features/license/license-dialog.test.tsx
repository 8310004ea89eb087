import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import '../../app/home-route.tsx';
import './license-dialog.tsx';
import { renderApp, tenantId } from '../../testing/render-app.tsx';

beforeEach(() => localStorage.clear());

const expires = (days: number) => ({
  'GET /api/generalLookup/environment': {
    environmentColor: null,
    environmentName: 'Production',
    licenseExpiration: new Date(Date.now() + days * 86_400_000 - 60_000).toISOString(),
  },
});

async function openLicense(answers = {}) {
  await renderApp(`/${tenantId}/nothing-here?show=license`, answers);
  return within(await screen.findByRole('dialog', { name: 'License' }));
}

it('[LIC-001][LIC-003] shows the expiration date and the days left', async () => {
  const dialog = await openLicense(expires(30));
  expect(await dialog.findByText(/^Expiration date: \d{1,2}:\d{2}[ap]m, \w{3}, \d{1,2}\/\d{1,2}\/\d{4}$/)).toBeTruthy();
  expect(dialog.getByText('30 day(s) left')).toBeTruthy();
  expect(dialog.queryByText('Expiration Date Loading...')).toBeNull();
});

it("[LIC-002] shows 'Expiration Date Loading...' until the date arrives", async () => {
  const dialog = await openLicense({
    'GET /api/generalLookup/environment': { environmentColor: null, environmentName: 'P', licenseExpiration: null },
  });
  expect(dialog.getByText('Expiration Date Loading...')).toBeTruthy();
});

it('shows the agreement: a software customer agreement with a provider', async () => {
  const dialog = await openLicense();
  const agreement = within(await proves('[LIC-004] shows it', () => dialog.getByRole('region', { name: 'Software Customer Agreement' })));
  await proves('[LIC-005] is between a provider and a customer', () =>
    agreement.getByText(/made between the provider of CloudFit Software \("Provider"\) and the organization .* \("Customer"\)/),
  );
  await proves('[LIC-006] keeps secrets for five years', () => agreement.getByText(/These duties last for five \(5\) years/));
  await proves('[LIC-007] leaves the cap open', () => agreement.getByText(/cap on indemnity under this section is TBD/));
});

const expectClosed = async (name: string) => {
  const dialog = await openLicense();
  fireEvent.click(dialog.getByRole('button', { name }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'License' })).toBeNull());
};

it('[LIC-008] Agree closes it', () => expectClosed('Agree'));
it('[LIC-009] Cancel closes it', () => expectClosed('Cancel'));

const expectBanner = async (days: number, role: string, text: string) => {
  await renderApp(`/${tenantId}`, expires(days));
  expect((await screen.findByText(text)).closest(`[role=${role}]`)).toBeTruthy();
};

it('[LIC-010][LIC-014] the banner of the home page 20 days before', () => expectBanner(20, 'status', 'Your license expires in 20 day(s)'));
it('[LIC-010][LIC-013] the banner of the home page 3 days before', () => expectBanner(3, 'alert', 'Your license expires in 3 day(s)'));
it('[LIC-010][LIC-016] the banner of the home page afterwards', () => expectBanner(-1, 'alert', 'Your license has expired'));
