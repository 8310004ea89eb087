/** A rule, and how the tests of its editor open and fill the form. */
import { fireEvent, screen, within } from '@testing-library/react';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { list, renderApp, tenantId, type Answers, type ApiCall } from '../../../testing/render-app.tsx';

export const ruleId = '01a1fcdb-0000-7000-8000-0000000000a1';
const otherTenant = '01a1fcdb-0000-7000-8000-0000000000a9';
export const cpu = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90', OccurrencePattern: null };
export const rule = {
  ruleId,
  name: 'Cpu is high',
  enabled: true,
  description: null,
  ruleTypeId: 1,
  tenantId,
  subscriptionId: null,
  color: null,
  matchLifetime: '00:05:00',
  useSlidingExpiration: false,
  lateGrace: '00:00:10',
  tellLate: false,
  timeConditions: null,
  conditions: [cpu],
  matchActions: [],
  expirationActions: [],
  protocolId: null,
  runbookId: null,
  evaluationFailure: null,
  evaluationFailed: null,
  created: '2026-11-21T10:00:00.000Z',
  modified: '2026-11-21T10:00:00.000Z',
  subscription: null,
};
const optionsPath = (tenant: string) => `GET /api/${tenant}/rulelookup/conditionInputOptions/20`;
const answers: Answers = {
  'GET /api/generallookup/tenants': [
    { tenantId, name: 'Northwind Energy' },
    { tenantId: otherTenant, name: 'Southwind Water' },
  ],
  'GET /v1/rules': list([rule]),
  [`GET /v1/rules(${ruleId})`]: rule,
  [optionsPath(tenantId)]: ({ query }: ApiCall) => [
    query.get('tenantId') === tenantId ? { id: tenantId, name: 'Northwind Energy' } : { id: otherTenant, name: 'Southwind Water' },
  ],
  'GET /api/generalLookup/timezones': [
    { id: 'America/New_York', name: 'America/New York' },
    { id: 'UTC', name: 'UTC' },
  ],
  'GET /v1/packets': list([{ message: { Metrics: { Cpu: 97.5 } } }]),
  [`GET /v1/actionDefinitions/GetActionDefinitionsForRules(tenantId=${tenantId})`]: list([
    {
      actionDefinitionId: builtInAction.createWorkUnit,
      name: 'Create Work Unit',
      description: null,
      inputParameters: 'SeverityId,TenantId',
    },
    { actionDefinitionId: builtInAction.setColor, name: 'Set Color', description: null, inputParameters: 'Color' },
  ]),
};
export const open = (query: string, more: Answers = {}) => renderApp(`/${tenantId}/rules${query}`, { ...answers, ...more });
export const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));
type Form = Awaited<ReturnType<typeof dialog>>;
export const line = (form: Form, at: number, of: number) => within(form.getByLabelText(`Condition ${at} of ${of}`));
export const fieldsOf = (form: Form) => form.queryAllByLabelText<HTMLInputElement>('What to compare').map((input) => input.value);
export const go = (form: Form, tab: string) => fireEvent.click(form.getByRole('tab', { name: new RegExp(`^${tab}`) }));
/**
 * Returns the calls about rules without the calls that count what the rule would match, which are sent whenever typing pauses.
 */
export const sent = (calls: readonly ApiCall[], method: string) =>
  calls.filter(({ method: of, path }) => of === method && path.startsWith('/v1/rules') && path !== '/v1/rules/matchingNow');
/** Clicks a button, found by its label or text, because queries by role are slow in a form of this size. */
export const press = (form: Form, name: string) =>
  fireEvent.click(form.queryByLabelText(name, { selector: 'button' }) ?? form.getByText(name, { selector: 'button' }));

export function pick(box: HTMLElement, text: string, option: string) {
  fireEvent.change(box, { target: { value: text } });
  fireEvent.click(screen.getByText(option, { selector: '[role=option] span' }));
}
