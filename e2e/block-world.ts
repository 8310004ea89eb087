/** Seeds blocks of every colour, a rule that matches some of them, and a dashboard. */
import { blockColors, builtInAction } from '../contract/src/enums.ts';
import { operandId } from '../contract/src/rules/operands.ts';
import { operatorId } from '../contract/src/rules/operators.ts';
import type { Api } from './panel-world.ts';

const names: Record<(typeof blockColors)[number], string> = {
  black: 'Pumps out of service',
  blue: 'Orders today',
  green: 'Backups that succeeded last night, all sites together',
  grey: 'Visitors',
  orange: 'Queue length',
  red: 'Furnace temperature',
  white: 'Humidity of the server room',
  yellow: 'Open doors',
};
const values = [3, 41_822, 128, 0, 87, 94, 41.62, 2];

/** Returns the ids of a block that a rule matches, of the rule, of a match with an action, and of a dashboard. */
export async function seedBlocks(call: Api, tenantId: string): Promise<Record<'block' | 'blockRule' | 'match' | 'dashboard', string>> {
  const subscriptions = await call('GET', `/v1/subscriptions?$filter=tenantId eq ${tenantId}`, undefined);
  const [subscription] = subscriptions['value'] as { subscriptionId: string }[];
  const subscriptionId = subscription?.subscriptionId;
  const make = async (body: Record<string, unknown>) =>
    String((await call('PUT', '/v1/blocks', { tenantId, subscriptionId, blockTypeId: 1, ...body }))['blockId']);
  const ids: string[] = [];
  for (const color of blockColors) ids.push(await make({ name: names[color], entityColor: { color } }));
  const text = await make({ name: 'Release', blockTypeId: 2, description: 'Posted by the build.' });
  await make({ name: 'Not connected yet' });
  const block = ids[blockColors.indexOf('red')] ?? '';
  const rule = await call('PUT', '/v1/rules', {
    name: 'Furnace over 90',
    ruleTypeId: 1,
    tenantId,
    matchLifetime: '00:10:00',
    conditions: [
      { Type: 'And', LeftOperand: operandId.value, Operator: operatorId.greaterThan, RightOperand: '90', OccurrencePattern: null },
    ],
    matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev2' } }],
  });
  const post = (id: string, value: unknown) => call('POST', `/v1/blocks/${id}/value`, { value });
  for (const [at, id] of ids.entries()) await post(id, values[at]);
  for (let n = 0; n < 40; n += 1) await post(block, Math.round((80 + 8 * Math.sin(n / 4) + (n % 3)) * 10) / 10);
  await post(block, 94);
  await post(text, 'Release 12.4 is on all sites since 04:10');
  const blockRule = String(rule['ruleId']);
  for (let tries = 0; tries < 100; tries += 1) {
    const matches = await call('GET', `/v1/ruleMatches?$filter=ruleId eq ${blockRule} and subjectId eq ${block}`, undefined);
    const [match] = matches['value'] as { ruleMatchId: string }[];
    if (match) return { block, blockRule, match: match.ruleMatchId, dashboard: await seedDashboard(call, tenantId, block) };
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('The rule did not match.');
}

/** A shared dashboard with tiles of most kinds. */
async function seedDashboard(call: Api, tenantId: string, blockId: string): Promise<string> {
  const kinds = ['devices', 'versions', 'compliance', 'units', 'matches'];
  const lists = kinds.map((kind, at) => ({ id: kind, kind, title: '', x: (at % 3) * 4, y: Math.floor(at / 3) * 3, w: 4, h: 3 }));
  const series = [{ entityId: blockId, metric: 'Value', label: 'Furnace temperature' }];
  const value = { id: 'value', kind: 'number', title: '', x: 8, y: 3, w: 4, h: 3, series };
  const fleet = { id: 'fleet', kind: 'devices', title: 'Fleet, {tag}', x: 8, y: 6, w: 4, h: 3, scope: { tag: '{tag}' }, repeat: true };
  const customers = { id: 'customers', kind: 'customers', title: '', x: 0, y: 6, w: 8, h: 6, scope: {} };
  const body = {
    name: 'Wall of the night shift',
    tenantId,
    sharing: 'Everybody changes it',
    tiles: [...lists, value, fleet, customers],
    variables: [{ kind: 'tag', value: '' }],
  };
  return String((await call('PUT', '/v1/dashboards', body))['dashboardId']);
}
