import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId } from '../../../testing/render-app.tsx';

const ruleId = '01a1fcdb-e331-70c1-ba47-000000000401';
const ruleExceptionId = '01a1fcdb-e331-70c1-ba47-000000000402';
const rule = {
  ruleId,
  name: 'Hot',
  ruleTypeId: 1,
  tenantId: null,
  tenantGroupId: null,
  conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
};
const exception = {
  ruleExceptionId,
  ruleId,
  tenantId,
  isOff: false,
  ownValues: { '62 Cpu 3': '95' },
  matchLifetime: null,
  until: null,
  reason: 'Old hardware',
  created: '2026-01-01T00:00:00.000Z',
  createdBy: 'ada@example.com',
  modified: '2026-01-01T00:00:00.000Z',
  modifiedBy: 'ada@example.com',
  tenant: { tenantId, name: 'Northwind Energy' },
  rule,
};

beforeEach(() => localStorage.clear());

it('says what holds at a tenant, and changes its own values in place', async () => {
  const { calls } = await renderApp(`/${tenantId}/ruleexceptions?id=${ruleExceptionId}`, {
    'GET /v1/ruleExceptions': list([exception]),
    [`GET /v1/ruleExceptions(${ruleExceptionId})`]: exception,
    [`GET /v1/rules(${ruleId})`]: rule,
    [`POST /v1/ruleExceptions/${ruleExceptionId}`]: exception,
  });
  const input = await screen.findByLabelText<HTMLInputElement>('Metric Cpu > 90');
  expect(input.value).toBe('95');
  expect(screen.getAllByText('Metric Cpu > 95').length).toBeGreaterThan(0);
  fireEvent.change(input, { target: { value: '97' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => {
    const saved = calls.find(({ method, path }) => method === 'POST' && path === `/v1/ruleExceptions/${ruleExceptionId}`);
    expect(saved?.body).toEqual({ ownValues: { '62 Cpu 3': '97' } });
  });
});
