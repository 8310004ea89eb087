import '../../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list } from '../../../../testing/render-app.tsx';
import { ruleId, rule, open, dialog, sent, press } from '../rule-editor.fixtures.ts';

beforeEach(() => localStorage.clear());

it('writes recovery conditions beside the conditions, and says them in the sentence', async () => {
  const { calls } = await open(`?id=${ruleId}&tab=conditions`, { [`POST /v1/rules/${ruleId}`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  const recovery = within(form.getByText('Recovery').closest('details') as HTMLElement);
  fireEvent.click(recovery.getByText(/^Add/, { selector: 'button' }));
  const added = within(recovery.getByLabelText('Condition 1 of 1'));
  fireEvent.change(added.getByLabelText('What to compare'), { target: { value: 'cpu' } });
  fireEvent.click(await screen.findByText('Metric Cpu', { selector: '[role=option] span' }));
  fireEvent.change(added.getByLabelText('Operator'), { target: { value: '4' } });
  fireEvent.change(added.getByLabelText('Value'), { target: { value: '80' } });
  form.getByText(/It ends earlier when Cpu is under 80\.$/);
  press(form, 'Save');
  await waitFor(() => expect(sent(calls, 'POST')).toHaveLength(1));
  expect(sent(calls, 'POST')[0]?.body).toEqual({
    recoveryConditions: [expect.objectContaining({ LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 4, RightOperand: '80' })],
  });
});

it('compares with another reading or a value of the device, by one button and back', async () => {
  const device = { deviceId: '01a1fcdb-0000-7000-8000-0000000000d1', ruleValues: 'site = north\nmaxTemp = 80' };
  const { calls } = await open(`?id=${ruleId}&tab=conditions`, { 'GET /v1/devices': list([device]), [`POST /v1/rules(${ruleId})`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  press(form, 'Compare with a reading or a value of the device');
  press(form, 'Compare with a fixed value');
  expect(form.getByLabelText<HTMLInputElement>('Value').value).toBe('90');
  press(form, 'Compare with a reading or a value of the device');
  fireEvent.change(form.getByLabelText('Factor'), { target: { value: '0.9' } });
  fireEvent.change(form.getByLabelText('Kind of the reading to compare with'), { target: { value: '36' } });
  const name = form.getByLabelText<HTMLInputElement>('Reading to compare with');
  await waitFor(() => {
    fireEvent.change(name, { target: { value: 'max' } });
    fireEvent.click(screen.getByText('maxTemp', { selector: '[role=option] span' }));
  });
  expect(form.getByLabelText('Rule in words').textContent).toMatch(/^When Cpu is over 0.9 × Device Value maxTemp\./);
  press(form, 'Save');
  await waitFor(() => expect(sent(calls, 'POST')).toHaveLength(1));
  expect(sent(calls, 'POST')[0]?.body).toMatchObject({
    conditions: [{ RightOperand: null, RightReading: { Operand: 36, FieldName: 'maxTemp', Factor: 0.9 } }],
  });
});

it('shows the last reading beside a metric, and none beside its rate', async () => {
  await open('?id=new&tab=conditions');
  const form = await dialog('Create Rule');
  const box = form.getAllByLabelText('What to compare').at(-1) as HTMLElement;
  fireEvent.change(box, { target: { value: 'cpu' } });
  const choice = async (name: string) => (await screen.findByText(name, { selector: '[role=option] span' })).closest('[role=option]');
  expect((await choice('Metric Cpu'))?.textContent).toContain('97.5');
  expect((await choice('Change of Metric Cpu'))?.textContent).not.toContain('97.5');
});

it('compares a metric with its baseline: deviations, hours and weeks', async () => {
  const { calls } = await open(`?id=${ruleId}&tab=conditions`, { [`POST /v1/rules(${ruleId})`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  const what = form.getByLabelText('What to compare');
  // The operand is also found by its description; the last reading is not shown, as it is no number of deviations.
  fireEvent.change(what, { target: { value: 'past weeks' } });
  const choice = await screen.findByText('Metric Above Baseline Cpu', { selector: '[role=option] span' });
  expect(choice.closest('li')?.textContent).toBe('Metric Above Baseline Cpu');
  fireEvent.click(choice);
  const selects = [...form.getByLabelText('Condition 1 of 1').querySelectorAll('select')];
  expect(selects.map((select) => select.labels[0]?.textContent)).toEqual([
    'Operator',
    'Hours to compare with',
    'Weeks to look back',
    'Counts when it holds',
  ]);
  expect(form.queryByLabelText('Compare with a reading or a value of the device')).toBeNull();
  fireEvent.change(form.getByLabelText('Standard deviations'), { target: { value: '3' } });
  const sentence = form.getByLabelText('Rule in words');
  expect(sentence.textContent).toMatch(/^When Cpu is more than 3 standard deviations above the same hour of the last 4 weeks\b/);
  form.getByText('Holds only where at least 3 of these weeks have values of the hour.');
  fireEvent.change(form.getByLabelText('Hours to compare with'), { target: { value: 'OfDay' } });
  fireEvent.change(form.getByLabelText('Weeks to look back'), { target: { value: '1' } });
  expect(sentence.textContent).toMatch(/above the same hour of each day of the last week\b/);
  form.getByText('Holds only where that week has values of the hour.');
  press(form, 'Save');
  await waitFor(() => expect(sent(calls, 'POST')).toHaveLength(1));
  expect(sent(calls, 'POST')[0]?.body).toMatchObject({
    conditions: [{ LeftOperand: 87, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '3', Baseline: { Weeks: 1, Hour: 'OfDay' } }],
  });
});
