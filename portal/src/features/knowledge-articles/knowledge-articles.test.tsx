import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { list, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';

const id = '01a1fcdb-e331-70c1-ba47-000000000b01';
const article = {
  knowledgeArticleId: id,
  title: 'Reset the printer',
  body: '# Steps\n\n- Hold the **button**',
  keywords: null,
  workUnitCategoryId: null,
  audience: 'Customers',
  state: 'Published',
  owner: 'mara@northwind.example',
  reviewAt: '2026-01-01T00:00:00.000Z',
  publishedVersion: 2,
  published: '2026-05-01T08:00:00.000Z',
  publishedBy: 'mara@northwind.example',
  tenantId,
  created: '2026-05-01T08:00:00.000Z',
  createdBy: 'mara@northwind.example',
  modified: '2026-05-01T08:00:00.000Z',
  modifiedBy: 'mara@northwind.example',
  usage: { knowledgeArticleId: id, viewed: 12, linked: 3, solved: 1 },
};
const version = (number: number, body: string) => ({ ...article, knowledgeArticleVersionId: `${id.slice(0, -1)}${number}`, number, body });
const answers: Answers = {
  'GET /v1/knowledgeArticles': list([article]),
  [`GET /v1/knowledgeArticles(${id})`]: article,
  [`GET /v1/knowledgeArticleUses(${id})`]: article.usage,
  'GET /v1/knowledgeArticleVersions': list([version(2, article.body), version(1, '# Steps\n\n- Ask')]),
  articlePlaces: { terms: ['printer', 'button'], places: [{ knowledgeArticleId: id, text: 'Hold the button' }] },
  countArticleUse: { counted: true },
  suggestArticles: { articles: [{ knowledgeArticleId: id, title: article.title, excerpt: 'Hold the button', isRunbook: false }] },
};

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it('lists articles with their counts, marks what a search found and what is to be reviewed', async () => {
  const { calls, inputsOf } = await renderApp(`/${tenantId}/knowledge?search=printer%20button`, answers);
  const row = within((await screen.findByText('To be reviewed')).closest('tr') as HTMLElement);
  await waitFor(() => expect([...document.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['printer', 'button']));
  expect(row.getByRole('link').getAttribute('href')).toBe(`/${tenantId}/knowledge/${id}`);
  const query = calls.find(({ path }) => path === '/v1/knowledgeArticles')?.query;
  expect(query?.get('$filter')).toContain(`(tenantId eq ${tenantId} or tenantId eq null)`);
  expect(query?.get('$orderby')).toContain("relevance('printer button') desc");
  expect(inputsOf('articlePlaces')).toEqual([{ text: 'printer button', knowledgeArticleIds: [id] }]);
});

it('sorts by how often articles were used', async () => {
  const { calls } = await renderApp(`/${tenantId}/knowledge?sort=-usage/solved`, answers);
  await screen.findByText('Reset the printer');
  expect(calls.find(({ path }) => path === '/v1/knowledgeArticles')?.query.get('$orderby')).toBe('usage/solved desc');
});

it('shows an article, counts that it was read once, and says what a version changed', async () => {
  const { inputsOf } = await renderApp(`/${tenantId}/knowledge/${id}`, answers);
  await screen.findByRole('heading', { name: 'Steps' });
  await screen.findByText(/Read 12 times · used 3 times in work units · solved 1 request/);
  fireEvent.click(await screen.findByRole('button', { name: 'What version 2 changed' }));
  const difference = await screen.findByLabelText('What version 2 changed', { selector: 'pre' });
  expect([...difference.querySelectorAll('.added, .removed')].map((line) => line.textContent)).toEqual([
    '−Removed: - Ask',
    '+Added: - Hold the **button**',
  ]);
  expect(inputsOf('countArticleUse')).toEqual([{ id, kind: 'Viewed' }]);
});

it('offers neither edit nor versions to those who may only read', async () => {
  await renderApp(`/${tenantId}/knowledge/${id}`, { ...answers, permissionsOfCaller: [permission('WorkUnits', 'view')] });
  await screen.findByRole('heading', { name: 'Steps' });
  expect(screen.queryByRole('button', { name: 'Edit' })).toBeNull();
  expect(screen.queryByText('Versions')).toBeNull();
});

const customer: Answers = { ...answers, permissionsOfCaller: [viewMine], 'GET /v1/workunits/rc': list([]) };

it('suggests to a customer after a rest of the keys, and sends no request when an article helps', async () => {
  const { calls, inputsOf } = await renderApp(`/${tenantId}/resolutioncenter?workUnitId=new`, customer);
  const title = await screen.findByLabelText(/^Title/);
  for (const text of ['The p', 'The pri', 'The printer stopped']) fireEvent.change(title, { target: { value: text } });
  fireEvent.click(await screen.findByRole('button', { name: 'Reset the printer' }));
  expect(inputsOf('suggestArticles')).toEqual([{ tenantId, title: 'The printer stopped' }]);
  await screen.findByText('button', { selector: 'strong' });
  fireEvent.click(await screen.findByRole('button', { name: 'Yes, this helps' }));
  await screen.findByText('Good. Your request was not sent.');
  await waitFor(() => expect(screen.queryByLabelText(/^Title/)).toBeNull());
  expect(inputsOf('countArticleUse')).toEqual([
    { id, kind: 'Viewed' },
    { id, kind: 'Solved' },
  ]);
  expect(calls.some(({ method, path }) => method === 'PUT' && path === '/v1/rc/workunits')).toBe(false);
});

it('keeps what was typed when an article does not help, and when there are no suggestions', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  await renderApp(`/${tenantId}/resolutioncenter?workUnitId=new`, customer);
  const title = await screen.findByLabelText<HTMLInputElement>(/^Title/);
  fireEvent.change(title, { target: { value: 'The printer stopped' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Reset the printer' }));
  fireEvent.click(await screen.findByRole('button', { name: 'No, go on' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Yes, this helps' })).toBeNull());
  expect(title.value).toBe('The printer stopped');
  warn.mockRestore();
});
