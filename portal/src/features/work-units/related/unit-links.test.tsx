import '../../../testing/browser.ts';
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderApp, tenantId } from '../../../testing/render-app.tsx';
import { answersFor, incident } from '../panel/panel.fixtures.ts';

const link = {
  unitLinkId: '01a1fcdb-e331-70c1-ba47-000000000501',
  tenantId,
  workUnitId: 7,
  eventSubscriptionId: '01a1fcdb-e331-70c1-ba47-000000000401',
  service: 'GitHub' as const,
  name: 'acme/ops#12',
  url: 'https://github.com/acme/ops/issues/12',
  remoteState: 'closed',
  lastSync: '2026-01-01T00:00:00.000Z',
  problem: null,
  created: '2026-01-01T00:00:00.000Z',
};

it('shows the tickets of a unit with their state and failures, and follows no address that is no web address', async () => {
  const broken = {
    ...link,
    unitLinkId: link.eventSubscriptionId,
    service: 'Jira' as const,
    name: 'OPS-24',
    url: 'javascript:alert(1)',
    remoteState: 'To Do',
    problem: 'The receiver answered 410.',
  };
  await renderApp(`/${tenantId}/workunitsv2?workUnitId=7`, answersFor(incident, { unitLinks: [link, broken] }));
  const card = within(await screen.findByRole('region', { name: 'In other systems' }));
  expect(card.getByRole('link', { name: 'acme/ops#12' }).getAttribute('href')).toBe(link.url);
  card.getByText('closed');
  expect(card.queryByRole('link', { name: 'OPS-24' })).toBeNull();
  card.getByText('The receiver answered 410.');
});
