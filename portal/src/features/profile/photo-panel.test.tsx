import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import './photo-panel.tsx';
import { refused, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';

const user = { personId: 'p1', name: 'Mara Okafor', userName: 'mara@northwind.example', tenantId, subscriptionId: null };
const cuts: unknown[][] = [];

beforeEach(() => {
  localStorage.clear();
  cuts.length = 0;
  URL.createObjectURL = () => 'blob:own';
  // Stubs, because jsdom cannot draw images.
  vi.stubGlobal('createImageBitmap', (file: File) =>
    file.name.endsWith('.png')
      ? Promise.resolve({ width: 400, height: 300, close: () => undefined })
      : Promise.reject(new Error('No image.')),
  );
  const context = { fillRect: () => undefined, drawImage: (...values: unknown[]) => cuts.push(values.slice(1)) };
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as unknown as null);
  vi.spyOn(HTMLCanvasElement.prototype, 'toDataURL').mockReturnValue('data:image/jpeg;base64,c21hbGw=');
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function openPanel(answers: Answers = {}) {
  const app = await renderApp(`/${tenantId}/nothing-here?show=photo`, { 'GET /v1/currentUser': user, ...answers });
  return { ...app, panel: within(await screen.findByRole('dialog', { name: 'Your photo' })) };
}
const choose = async (panel: Awaited<ReturnType<typeof openPanel>>['panel'], name: string) => {
  await panel.findByText('You have no photo: your initials are shown.');
  fireEvent.change(panel.getByLabelText('Choose a photo', { selector: 'input' }), { target: { files: [new File(['x'], name)] } });
};

it('sends the middle of the chosen image, small and square', async () => {
  let photo: string | null = null;
  const { panel, calls } = await openPanel({
    'GET /v1/currentUser': () => ({ ...user, photo }),
    'PUT /v1/currentUser/photo': () => ({ photo: (photo = 'ab12') }),
    'DELETE /v1/currentUser/photo': () => {
      photo = null;
      return new Response(null, { status: 204 });
    },
  });
  await choose(panel, 'me.png');
  await screen.findByText('Your photo was changed.');
  expect(calls.find((call) => call.method === 'PUT')?.body).toEqual({ content: 'c21hbGw=' });
  expect(cuts).toEqual([[50, 0, 300, 300, 0, 0, 256, 256]]);
  await panel.findByRole('button', { name: 'Replace photo' });
  fireEvent.click(panel.getByRole('button', { name: 'Remove photo' }));
  await screen.findByText('Your photo was removed.');
  await panel.findByText('You have no photo: your initials are shown.');
});

it('says what is wrong with a file, and what the server refuses', async () => {
  const { panel, calls } = await openPanel({ 'PUT /v1/currentUser/photo': refused(400, 'The photo is larger than 1 MiB.') });
  await choose(panel, 'notes.txt');
  await panel.findByText('This file cannot be read as an image. Choose a JPEG, PNG or WebP file.');
  expect(calls.some((call) => call.method === 'PUT')).toBe(false);
  await choose(panel, 'me.png');
  await waitFor(() => expect(panel.getByRole('alert').textContent).toBe('The photo is larger than 1 MiB.'));
});
