/** How the tests open a change request, whose first approver is Mara, and answer its questions. */
import { fireEvent, screen, within } from '@testing-library/react';
import { beforeAll } from 'vitest';
import { renderApp, type Answers, type ApiCall } from '../../../testing/render-app.tsx';
import { answersFor, change, loadPanel } from '../panel/panel.fixtures.ts';

beforeAll(loadPanel);

/** The server's answer whether the signed-in person is the approver: true for Mara. */
export const approval = (call: ApiCall) => ({ isApprover: call.query.get('approverId') === 'mara@northwind.example' });
export const open = async (unit: object = change, more: Answers = {}) => {
  const app = await renderApp('/workunitsv2?workUnitId=7', answersFor(unit, { 'GET /api/generallookup/approval': approval, ...more }));
  await screen.findByRole('heading', { name: /^Edit Work Unit/ });
  return app;
};
export const slot = async (number: 1 | 2) => within(await screen.findByLabelText(`Approver ${number}`, { selector: 'li' }));
export const approve = () => screen.findByRole('button', { name: 'Approve slot 1' });
export const decline = () => screen.findByRole('button', { name: 'Reject slot 1' });
export const confirmWith = (name: string) =>
  fireEvent.click(within(document.querySelector<HTMLElement>('.MuiDialogActions-root') ?? document.body).getByText(name));
