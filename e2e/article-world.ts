/** Knowledge articles for the screens: one that was used, with two versions, one to be reviewed, a draft, and one for the desk. */
import type { Api } from './panel-world.ts';

export async function seedArticles(call: Api, tenantId: string, workUnitId: unknown): Promise<Record<string, string>> {
  const write = (fields: Record<string, unknown>) =>
    call('PUT', '/v1/knowledgeArticles', { state: 'Published', audience: 'Customers', tenantId, ...fields });
  const steps = '1. Hold the **green button** for five seconds.\n2. Wait until the lamp blinks.';
  const { knowledgeArticleId: article } = await write({
    title: 'Restart the pump controller',
    body: `When the pump does not answer:\n\n${steps}`,
  });
  const more =
    '# What it looks like\n\n| lamp | meaning |\n|---|---|\n| red | stopped |\n| green | running |\n\n> Call the desk when it stays red.\n\n`pumpctl --restart 4`';
  await call('POST', `/v1/knowledgeArticles/${String(article)}`, {
    body: `When the pump does not answer, or hums:\n\n${steps}\n\n${more}`,
    reviewAt: '2027-06-01T00:00:00.000Z',
    keywords: 'vacuum, historian',
  });
  await write({
    title: 'Free a valve',
    body: 'Close the supply first. Then check whether the valve is stuck: turn it by hand, never with a tool.',
    reviewAt: '2026-01-01T00:00:00.000Z',
    audience: 'Internal',
  });
  await write({ title: 'Order a new badge', body: 'Ask at the gate.', state: 'Draft' });
  await write({ title: 'Old phones', body: 'They are gone.', state: 'Retired', audience: 'Internal' });
  await call('PUT', '/v1/workUnitRelations', { workUnitId, referenceType: 'KnowledgeArticle', referenceId: article });
  return { article: String(article) };
}
