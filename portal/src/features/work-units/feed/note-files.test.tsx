/** Images and files in notes: pasted, dropped, shown, and an upload that fails. */
import '../../../testing/browser.ts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { refused, renderApp, tenantId, type Answers } from '../../../testing/render-app.tsx';

const id = '0197a3b0-1111-7222-8333-444455556666';
const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Gateway is back',
  severityId: 'Sev1',
  stateId: 'InProgress',
  assignedTo: null,
  tenantId,
  workUnitTypeId: 1,
  relations: [],
  created: '2026-11-21T10:00:00Z',
  createdBy: 'System',
  modified: '2026-11-21T10:00:00Z',
  modifiedBy: 'System',
};
const note = {
  id: 1,
  created: '2026-11-21T10:00:00Z',
  createdBy: 'mara@northwind.example',
  detail: `Look:\n![shot.png](file:${id})\n[app.log](file:${id})`,
  isExternalNote: false,
  isFromCustomer: false,
  isWarning: false,
  historyType: null,
  historyUrl: null,
  field: null,
  oldValue: null,
  newValue: null,
};
const answers: Answers = { 'GET /v1/workUnits(7)': unit, workUnitHistory: { value: [note] }, fileOfWorkUnit: () => new Response('x') };

/** The portal sends files by XMLHttpRequest. */
class Sent {
  static all: Sent[] = [];
  upload = {};
  status = 0;
  responseText = '';
  form = new FormData();
  address = '';
  onload?: () => void;
  open(method: string, path: string) {
    this.address = `${method} ${path}`;
  }
  setRequestHeader() {}
  send(form: FormData) {
    this.form = form;
    Sent.all.push(this);
  }
  answer(status: number, body: object) {
    this.status = status;
    this.responseText = JSON.stringify(body);
    this.onload?.();
  }
}

beforeEach(() => {
  sessionStorage.clear();
  Sent.all = [];
  vi.stubGlobal('XMLHttpRequest', Sent);
  URL.createObjectURL = () => 'blob:image';
  URL.revokeObjectURL = () => undefined;
});
afterEach(cleanup);

const shot = new File(['x'], 'shot.png', { type: 'image/png' });
const log = new File(['x'], 'app.log', { type: 'text/plain' });
async function writing() {
  await renderApp('/workunitsv2?workUnitId=7', answers);
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' });
  fireEvent.change(box, { target: { value: 'It looks so:' } });
  return box;
}
const sent = (n: number) =>
  waitFor(() => {
    const one = Sent.all[n];
    if (!one) throw new Error('Nothing was sent.');
    return one;
  });

it('uploads what is pasted and dropped, one after the other, and names it in the text', async () => {
  const box = await writing();
  fireEvent.paste(box, { clipboardData: { files: [shot], types: ['Files'] } });
  const first = await sent(0);
  expect(first.address).toBe('POST /v1/workunits/7/files');
  expect((first.form.get('file-1') as File).name).toBe('shot.png');
  const add = screen.getByRole<HTMLButtonElement>('button', { name: 'Add note' });
  expect(add.disabled).toBe(true);
  first.answer(201, { id, name: 'shot.png', size: 1, isImage: true });
  await waitFor(() => expect(box.value).toBe(`It looks so:\n![shot.png](file:${id})\n`));
  await waitFor(() => expect(add.disabled).toBe(false));
  fireEvent.drop(box, { dataTransfer: { files: [log], types: ['Files'] } });
  (await sent(1)).answer(201, { id, name: 'app.log', size: 1, isImage: false });
  await waitFor(() => expect(box.value).toBe(`It looks so:\n![shot.png](file:${id})\n[app.log](file:${id})\n`));
});

it('leaves a pasted table as text', async () => {
  const box = await writing();
  expect(fireEvent.paste(box, { clipboardData: { files: [shot], types: ['text/plain', 'Files'] } })).toBe(true);
  expect(Sent.all).toHaveLength(0);
});

it('says why an upload was refused, and keeps what was typed', async () => {
  const box = await writing();
  fireEvent.paste(box, { clipboardData: { files: [shot], types: ['Files'] } });
  (await sent(0)).answer(400, { error: { code: 'ValidationFailed', message: 'shot.png is not what its name says.' } });
  await screen.findByText('shot.png was not uploaded: shot.png is not what its name says. Your text is still there.');
  expect(box.value).toBe('It looks so:');
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Add note' }).disabled).toBe(false));
});

it('shows an image in small, which opens in full, and a button that saves another file', async () => {
  await renderApp('/workunitsv2?workUnitId=7', answers);
  const button = await screen.findByRole('button', { name: 'Show shot.png' });
  await waitFor(() => expect(button.querySelector('img')?.getAttribute('src')).toBe('blob:image'));
  screen.getByRole('button', { name: 'Download app.log' });
  fireEvent.click(button);
  const dialog = within(await screen.findByRole('dialog', { name: 'shot.png' }));
  expect((await dialog.findByRole('img', { name: 'shot.png' })).getAttribute('src')).toBe('blob:image');
});

it('deletes a file once that is confirmed, and then says who deleted it', async () => {
  let isDeleted = false;
  const answerDeleted = refused(404, 'app.log was deleted by mara@northwind.example.');
  const { inputsOf } = await renderApp('/workunitsv2?workUnitId=7', {
    ...answers,
    fileOfWorkUnit: () => (isDeleted ? answerDeleted() : new Response('x')),
    [`DELETE /v1/workunits/files/${id}`]: () => {
      isDeleted = true;
      return new Response(null, { status: 204 });
    },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Delete app.log' }));
  const question = within(await screen.findByRole('dialog', { name: 'Delete this file?' }));
  expect(inputsOf('deleteFileOfWorkUnit')).toEqual([]);
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await screen.findByText('app.log was deleted.');
  expect(inputsOf('deleteFileOfWorkUnit')).toEqual([{ id }]);
  // The image of the same id is read again.
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Show shot.png' })).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: 'Download app.log' }));
  await waitFor(() => expect(screen.getAllByText(/was deleted by mara@northwind\.example\./).length).toBeGreaterThan(1));
});

it('offers who may only read no button that deletes', async () => {
  const view = allPermissions.filter((permission) => permission.endsWith(':view'));
  await renderApp('/workunitsv2?workUnitId=7', { ...answers, permissionsOfCaller: view });
  await screen.findByRole('button', { name: 'Download app.log' });
  expect(screen.queryByRole('button', { name: 'Delete app.log' })).toBeNull();
});
