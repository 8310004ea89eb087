import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { list, refused, renderApp, tenantId } from '../../testing/render-app.tsx';

it('uploads a MIB from a file, by its bytes, and shows the lines that the server refuses', async () => {
  const problem = 'Line 3: The value of pump is not an object and a number, such as { system 3 }.';
  const { calls } = await renderApp(`/${tenantId}/mibs`, {
    'GET /v1/mibs': list([]),
    'PUT /v1/mibs': refused(400, 'Wrong.', [{ target: 'text', message: problem }]),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  const panel = within(await screen.findByRole('dialog', { name: 'Create MIB' }));
  const file = new File([Uint8Array.from([80, 32, 0xfc, 12, 10])], 'PUMP-MIB.txt');
  fireEvent.change(panel.getByLabelText('Choose a file'), { target: { files: [file] } });
  await waitFor(() => expect(panel.getByLabelText<HTMLTextAreaElement>(/^Text/).value).toBe('P \u00fc \n'));
  expect(panel.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('PUMP-MIB');
  fireEvent.click(panel.getByRole('button', { name: /^(Save|Create)/ }));
  await panel.findByText(problem);
  expect(calls.filter((call) => call.method === 'PUT').map((call) => call.body)).toMatchObject([{ name: 'PUMP-MIB', tenantId }]);
});
