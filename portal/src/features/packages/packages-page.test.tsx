import { permission, permissionVerbs } from '@cloudfit/contract/permissions.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { list, refused, renderApp, subscriptionId, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const id = '01a1fcdb-0000-7000-8000-0000000000a1';
const metrics = {
  packageId: id,
  name: 'System metrics',
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
  description: null,
  packageTypeId: 1,
  executableName: 'bin/run.js',
  executableTypeId: 2,
  referenceUrl: null,
  operatingSystemRidsId: 5,
  parameterDefinitions: [],
};
const version = (n: number, text: string, packageVersionStatusId: number) => ({
  packageVersionId: `01a1fcdb-0000-7000-8000-0000000000b${n}`,
  packageId: id,
  version: text,
  label: `Build ${n}`,
  packageVersionStatusId,
  fileSize: '2048',
  signature: 'c2VydmVy',
  publisherName: null as string | null,
  publisherKey: null as string | null,
  created: '2026-11-01T00:00:00.000Z',
});
const operation = {
  operationId: '01a1fcdb-0000-7000-8000-0000000000c1',
  name: 'Disk space',
  description: null,
  operationTypeId: 6,
  frequencyDefinitions: [2, 1],
  defaultInterval: '00:05:00',
  parameterDefinitions: [{ Name: 'Path', Description: 'Where to look', Required: true, Source: 1, DefaultValue: '/var' }],
};
const parts = (call: ApiCall) => {
  const expand = call.query.get('$expand') ?? '';
  return {
    ...metrics,
    ...(expand.includes('operations') ? { operations: [operation] } : {}),
    ...(expand.includes('packageVersions')
      ? { packageVersions: [version(3, '2.0.0-beta1', 3), version(2, '1.1.0', 1), version(1, '1.0.0', 2)] }
      : {}),
  };
};
const answers: Answers = { 'GET /v1/packages': list([metrics]), [`GET /v1/packages(${id})`]: parts };
const address = `/${tenantId}/packages`;
const open = (query = '', more: Answers = {}) => renderApp(address + query, { ...answers, ...more });
const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));

/** The portal sends files by XMLHttpRequest, which these tests fake. */
class Sent {
  static last: Sent;
  upload: { onprogress?: (event: object) => void } = {};
  status = 0;
  responseText = '';
  form = new FormData();
  headers: Record<string, string> = {};
  aborted = false;
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  address = '';
  constructor() {
    Sent.last = this;
  }
  open(method: string, path: string) {
    this.address = `${method} ${path}`;
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  send(form: FormData) {
    this.form = form;
  }
  abort() {
    this.aborted = true;
    this.onabort?.();
  }
  answer(status: number, body: unknown) {
    this.status = status;
    this.responseText = typeof body === 'string' ? body : JSON.stringify(body);
    this.onload?.();
  }
}

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal('XMLHttpRequest', Sent);
});

it('lists the packages of the tenant and of everyone, searched by name', async () => {
  const { calls } = await open('?search=metr');
  const row = within((await screen.findByRole('link', { name: 'System metrics' })).closest('tr') as HTMLElement);
  await proves('[PKG-002] has these columns', () =>
    expect(screen.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual([
      'Name',
      'Supported Operating Systems',
      'Package Type',
      'Executable Type',
      'Tenant',
      'Installed on',
      'Edit',
    ]),
  );
  for (const text of ['WinX64, LinuxX64', 'Watcher', 'Script', 'Northwind Energy']) row.getByText(text);
  row.getByRole('button', { name: 'Edit System metrics' });
  await proves('[PKG-004] offers an upload', () => screen.getByRole('button', { name: 'Upload Package' }));
  await proves('[PKG-001] stands at its address', () => expect(document.title).toBe('Package Catalog - CloudFit Software'));
  const query = calls.find((call) => call.path === '/v1/packages')?.query;
  await proves('[PERM-031] asks for those of the tenant', () =>
    expect(query?.get('$filter')).toContain(`(tenantId eq ${tenantId} or tenantId eq null)`),
  );
  await proves('[PKG-003] searches their names', () => expect(query?.get('$filter')).toMatch(/ and contains\(folded\(name\),'metr'\)$/));
  await proves('[API-168] expands the tenant', () => expect(query?.get('$expand')).toBe('tenant'));
});

it('a package has three tabs; an operation tells its parameters', async () => {
  const { calls, search } = await open();
  fireEvent.click(await screen.findByRole('link', { name: 'System metrics' }));
  const panel = await dialog('Edit Package: System metrics');
  await proves('[PKG-005] [PKG-006] has three tabs', () =>
    expect(panel.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Edit Package', 'Operations', 'Versions']),
  );
  fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Metrics' } });
  fireEvent.click(panel.getByRole('tab', { name: 'Operations' }));
  fireEvent.click(await panel.findByRole('button', { name: '1 parameter, Parameters of Disk space' }));
  expect(search().get('tab')).toBe('operations');
  const parameters = await dialog('Parameters of Disk space');
  await proves('[PKG-007] tells the parameters of an operation', () => {
    expect(parameters.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual([
      'Name',
      'Description',
      'Required',
      'Source',
      'Default',
    ]);
    expect(parameters.getAllByRole('cell').map((cell) => cell.textContent)).toEqual([
      'Path',
      'Where to look',
      'Yes',
      'PortalEntry',
      '/var',
    ]);
  });
  fireEvent.click(parameters.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(search().has('panel.parameters')).toBe(false));
  expect(calls.some((call) => call.query.get('$expand') === 'operations($orderby=name)')).toBe(true);
  fireEvent.click(panel.getByRole('tab', { name: 'Edit Package' }));
  expect(panel.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Metrics');
});

it('[PKG-006] a package that is created has no tabs', async () => {
  await open('?id=new');
  const panel = await dialog('Create Package');
  expect(panel.queryByRole('tab')).toBeNull();
  expect(panel.getAllByRole('checkbox').map((box) => box.getAttribute('aria-label'))).toEqual(['WinX64', 'OsxX64', 'LinuxX64']);
});

it('leads from the versions to where they are installed', async () => {
  await open(`?id=${id}&tab=versions`);
  const panel = await dialog('Edit Package: System metrics');
  const addressOf = (link: HTMLElement) => link.getAttribute('href');
  expect(addressOf(await panel.findByRole('link', { name: 'Devices' }))).toBe(`/${tenantId}/devices`);
  expect(addressOf(panel.getByRole('link', { name: 'Version Report' }))).toBe(`/${tenantId}/versionreport`);
});

it('versions are deleted after a question, but not the latest', async () => {
  const old = `DELETE /v1/packages/${id}/versions/${version(1, '', 2).packageVersionId}`;
  const beta = `DELETE /v1/packages/${id}/versions/${version(3, '', 3).packageVersionId}`;
  const { calls } = await open(`?id=${id}&tab=versions`, {
    [old]: () => new Response(null, { status: 204 }),
    [beta]: refused(409, 'Version 2.0.0-beta1 cannot be deleted while devices have it or should have it.'),
  });
  const panel = await dialog('Edit Package: System metrics');
  fireEvent.click(await panel.findByRole('button', { name: 'Delete version 1.0.0' }));
  await proves('[PKG-015] does not offer to delete the latest', () => {
    expect(panel.queryByRole('button', { name: 'Delete version 1.1.0' })).toBeNull();
    within(panel.getByText('1.1.0').closest('tr') as HTMLElement).getByText('Latest');
  });
  const question = await dialog('Delete Package Version');
  await proves('[PKG-020] asks first', () => {
    question.getByText('Are you sure you want to delete version 1.0.0? Cannot be undone.');
    expect(calls.some((call) => call.method === 'DELETE')).toBe(false);
  });
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await proves('[PKG-021] says that it is deleted', () => screen.findByText('Package version deleted successfully.'));
  expect(calls.filter((call) => call.method === 'DELETE').map((call) => call.path)).toEqual([old.slice(7)]);
  fireEvent.click(await panel.findByRole('button', { name: 'Delete version 2.0.0-beta1' }));
  fireEvent.click((await dialog('Delete Package Version')).getByRole('button', { name: 'Delete' }));
  await proves('[ERR-031] says why the server refuses', () =>
    screen.findByText('Version 2.0.0-beta1 cannot be deleted while devices have it or should have it.'),
  );
});

it('[PKG-022] a failed save is only logged, and keeps what was typed', async () => {
  const logged = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  await open(`?id=${id}`, { [`POST /v1/packages/${id}`]: refused(500, 'No disk') });
  const panel = await dialog('Edit Package: System metrics');
  fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Metrics' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(logged).toHaveBeenCalledWith(expect.objectContaining({ message: 'No disk' })));
  expect(screen.queryByText(/No disk|Unable to save/)).toBeNull();
  expect(panel.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Metrics');
  logged.mockRestore();
});

it('uploads versions, with their progress', async () => {
  const { search } = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Upload Package' }));
  const panel = await proves('[PKG-008] opens a panel', () => dialog('Upload Package Version'));
  fireEvent.click(panel.getByRole('button', { name: 'Upload' }));
  await proves('[PKG-016] needs a label', () => panel.findByText('Label is required.'));
  await proves('[PKG-017] needs a file', () => panel.getByText('File is required.'));
  const zip = (name: string) => new File(['PK'], name, { type: 'application/zip' });
  fireEvent.change(panel.getByLabelText(/^Label/), { target: { value: 'November' } });
  fireEvent.change(panel.getByLabelText(/^Files/), { target: { files: [zip('a.zip'), zip('b.zip')] } });
  fireEvent.click(panel.getByRole('button', { name: 'Upload' }));
  await waitFor(() => expect(Sent.last?.address).toBe('POST /v1/packages/upload'));
  await proves('[API-172] sends the label and a part for each file', async () => {
    await waitFor(() => expect([...Sent.last.form.keys()]).toEqual(['label', 'tenantId', 'file-1', 'file-2']));
    expect(Sent.last.form.get('label')).toBe('November');
  });
  await proves('[API-173] sends the tenant', () => expect(Sent.last.form.get('tenantId')).toBe(tenantId));
  expect(Sent.last.headers['authorization']).toBe('Bearer secret');
  Sent.last.upload.onprogress?.({ lengthComputable: true, loaded: 42, total: 100 });
  await panel.findByText('42 %');
  Sent.last.answer(502, '<html>');
  await proves('[ERR-022] says so when nothing more is told', () =>
    panel.findByText('A problem occurred uploading the bundle. Please try again.'),
  );

  fireEvent.click(panel.getByRole('button', { name: 'Upload' }));
  await panel.findByRole('progressbar');
  const details = [{ code: 'X', target: 'file-1.version', message: 'a.zip: must be a version.' }];
  Sent.last.answer(400, { error: { code: 'ValidationFailed', message: 'Wrong.', details } });
  await panel.findByText('a.zip: must be a version.');
  expect(panel.queryByText(/A problem occurred/)).toBeNull();

  // A package without a tenant is for all tenants.
  fireEvent.click(panel.getByRole('button', { name: 'Clear' }));
  fireEvent.click(panel.getByRole('button', { name: 'Remove b.zip' }));
  fireEvent.click(panel.getByRole('button', { name: 'Upload' }));
  await panel.findByRole('progressbar');
  await proves('[PKG-018] needs no tenant', () => expect([...Sent.last.form.keys()]).toEqual(['label', 'file-1']));
  Sent.last.answer(201, { value: [version(4, '1.2.0', 1)] });
  await screen.findByText('Version 1.2.0 uploaded.');
  await waitFor(() => expect([search().get('upload'), search().get('id'), search().get('tab')]).toEqual([null, id, 'versions']));
});

it('a running upload can be stopped, and what was filled in stays', async () => {
  await open('?upload=new');
  const panel = await dialog('Upload Package Version');
  fireEvent.change(panel.getByLabelText(/^Label/), { target: { value: 'November' } });
  fireEvent.change(panel.getByLabelText(/^Files/), { target: { files: [new File(['PK'], 'a.zip')] } });
  fireEvent.click(panel.getByRole('button', { name: 'Upload' }));
  await waitFor(() => expect(Sent.last?.form.get('label')).toBe('November'));
  fireEvent.click(await panel.findByRole('button', { name: 'Stop the upload' }));
  await panel.findByRole('button', { name: 'Cancel' });
  expect(Sent.last.aborted).toBe(true);
  expect(panel.getByLabelText<HTMLInputElement>(/^Label/).value).toBe('November');
});

it('says who has signed a version, and whether the key is still trusted', async () => {
  const by = (name: string, key: string) => ({ publisherName: name, publisherKey: key });
  const packageVersions = [
    { ...version(3, '3.0.0', 1), ...by('Acme', 'acme-key') },
    { ...version(2, '2.0.0', 2), ...by('Former', 'former-key') },
    version(1, '1.0.0', 2),
  ];
  await open(`?id=${id}&tab=versions`, {
    [`GET /v1/packages(${id})`]: { ...metrics, packageVersions },
    'GET /v1/publishers': list([{ publicKey: 'acme-key' }]),
  });
  const panel = await dialog('Edit Package: System metrics');
  const rowOf = (text: string) => within(panel.getByText(text).closest('tr') as HTMLElement);
  await panel.findByText('Not trusted: Former');
  rowOf('3.0.0').getByTitle('Signed by the publisher Acme, and by this server.');
  rowOf('2.0.0').getByTitle('Signed by Former, whose key is not trusted any more. Agents refuse to install it.');
  rowOf('1.0.0').getByText('Signed');
  expect(rowOf('3.0.0').getByText('Acme').closest('.chip')?.className).toContain('ok');
});

it('uploads a zip with the signature beside it, in the form of either tool', async () => {
  await open('?upload=new');
  const panel = await dialog('Upload Package Version');
  const raw = new Uint8Array(64).fill(7);
  const base64 = btoa(String.fromCodePoint(...raw));
  const signature = (name: string, content: BlobPart) => new File([content], name);
  fireEvent.change(panel.getByLabelText(/^Label/), { target: { value: 'November' } });
  const choose = (...files: File[]) => fireEvent.change(panel.getByLabelText(/^Files/, { selector: 'input' }), { target: { files } });
  choose(signature('b.zip.sig', raw), new File(['PK'], 'a.zip'));
  fireEvent.click(panel.getByRole('button', { name: 'Upload' }));
  await panel.findByText('b.zip.sig is the signature of a file that is not here: b.zip.');
  choose(new File(['PK'], 'b.zip'), new File(['PK'], 'c.zip'), signature('C.zip.sig', `${base64}\n`));
  fireEvent.click(panel.getByRole('button', { name: 'Upload' }));
  await panel.findByRole('progressbar');
  await waitFor(() =>
    expect([...Sent.last.form.keys()]).toEqual(['label', 'tenantId', 'file-1', 'file-2', 'signature-2', 'file-3', 'signature-3']),
  );
  expect([Sent.last.form.get('signature-2'), Sent.last.form.get('signature-3')]).toEqual([base64, base64]);
});

it('adds a publisher by its public key, and asks before one is removed', async () => {
  const publisher = {
    publisherId: id,
    name: 'Acme',
    tenantId,
    tenant: { tenantId, name: 'Northwind Energy' },
    publicKey: 'MCow',
    fingerprint: 'f'.repeat(64),
    created: '2026-11-01T00:00:00.000Z',
  };
  const { calls } = await renderApp(`/${tenantId}/publishers`, {
    'GET /v1/publishers': list([publisher]),
    'PUT /v1/publishers': refused(400, 'Wrong.', [
      { target: 'publicKey', message: 'This is a private key, which stays with its publisher.' },
    ]),
    [`DELETE /v1/publishers/${id}`]: new Response(null, { status: 204 }),
  });
  const row = within((await screen.findByRole('link', { name: 'Acme' })).closest('tr') as HTMLElement);
  row.getByText('f'.repeat(64));
  fireEvent.click(screen.getByRole('button', { name: 'Create' }));
  const form = await dialog('Create Publisher');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Other' } });
  fireEvent.change(form.getByLabelText(/^Public key/), { target: { value: '-----BEGIN PRIVATE KEY-----' } });
  fireEvent.click(form.getByRole('button', { name: /^(Save|Create)/ }));
  await form.findByText('This is a private key, which stays with its publisher.');
  expect(calls.find((call) => call.method === 'PUT')?.body).toMatchObject({ name: 'Other', tenantId });
  fireEvent.click(row.getByRole('button', { name: 'Actions for Acme' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove Publisher' }));
  const question = await dialog('Remove Publisher');
  question.getByText(/What devices have installed stays/);
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await screen.findByText('Acme is not trusted any more.');
});

it('counts the devices that have a package, and leads to them', async () => {
  const { calls } = await open('', { 'GET /v1/complianceReport': { value: [{ packageId: id, n: 1234 }] } });
  const link = await screen.findByRole('link', { name: 'System metrics: installed on 1,234 devices' });
  expect(link.textContent).toBe('1,234');
  expect(link.getAttribute('href')).toBe(`/${tenantId}/versionreport?f.packageName=System+metrics`);
  const counted = calls.filter(({ path }) => path === '/v1/complianceReport').map(({ query }) => query.get('$apply'));
  expect(counted).toEqual([`filter(tenantId eq ${tenantId})/groupby((packageId),aggregate($count as n))`]);
});

it('exports the number of devices, also of packages that are on none', async () => {
  const saved: Blob[] = [];
  const save = vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
    saved.push(content as Blob);
    return 'blob:saved';
  });
  const other = { ...metrics, packageId: '01a1fcdb-0000-7000-8000-0000000000a2', name: 'Unused' };
  await open('', {
    'GET /v1/packages': list([metrics, other]),
    'GET /v1/complianceReport': { value: [{ packageId: id, n: 7 }] },
  });
  await screen.findByRole('link', { name: 'System metrics: installed on 7 devices' });
  fireEvent.click(await screen.findByRole('button', { name: 'Export Page' }));
  await waitFor(() => expect(saved).toHaveLength(1));
  const lines = (await (saved[0] as Blob).text()).trim().split(/\r?\n/);
  expect(lines[0]).toContain('Installed on');
  expect(lines.slice(1).map((line) => line.split(',').at(-1)?.replaceAll('"', ''))).toEqual(['7', '0']);
  save.mockRestore();
});

const packageVersionId = version(2, '', 1).packageVersionId;
const forRollOut: Answers = {
  'GET /v1/packageVersions': list([version(2, '1.1.0', 1)]),
  'GET /v1/devices': { value: [{ n: 12 }] },
  'POST /v1/campaigns/choices': {
    operations: [],
    packages: [{ packageId: id, name: 'System metrics', devices: 1, versions: [{ packageVersionId, version: '1.1.0', devices: 1 }] }],
  },
  'POST /v1/campaigns/preview': { total: 12, offline: 0, already: 1, unable: 0, disabled: 0 },
  'POST /v1/campaigns/start': { campaignId: '01a1fcdb-0000-7000-8000-0000000000f1' },
};
const chooseRollOut = async () => {
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for System metrics' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Roll out' }));
};

it('rolls a package out to the devices of the subscription that can run it', async () => {
  const { calls } = await open('', forRollOut);
  await chooseRollOut();
  const form = await dialog('Install a version on 12 devices');
  const filter = `tenantId eq ${tenantId} and subscriptionId eq ${subscriptionId} and enabled eq true and (operatingSystemId eq 1 or operatingSystemId eq 4)`;
  const started = { kind: 'InstallVersion', tenantId, filter, packageId: id, packageVersionId };
  expect((await form.findByLabelText<HTMLSelectElement>(/^Package/)).value).toBe(id);
  expect(form.getByLabelText<HTMLSelectElement>(/^Version/).value).toBe(packageVersionId);
  const start = form.getByRole<HTMLButtonElement>('button', { name: 'Install on 12 devices' });
  await waitFor(() => expect(start.disabled).toBe(false));
  fireEvent.click(start);
  await waitFor(() => expect(calls.find(({ path }) => path === '/v1/campaigns/start')?.body).toMatchObject(started));
});

it('says when there is nothing to roll out, or no device for it', async () => {
  await open('', { ...forRollOut, 'GET /v1/packageVersions': list([]) });
  await chooseRollOut();
  await screen.findByText('This package has no version that could be installed.');
  await open('', { ...forRollOut, 'GET /v1/devices': list([]) });
  await chooseRollOut();
  await screen.findByText('No enabled device of the chosen subscription runs an operating system of this package.');
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('only people who may edit devices roll out, and only those who may view devices see numbers', async () => {
  const { calls } = await open('', { ...forRollOut, 'GET /v1/permissions': permissionVerbs.map((verb) => permission('Packages', verb)) });
  const row = within((await screen.findByRole('link', { name: 'System metrics' })).closest('tr') as HTMLElement);
  fireEvent.click(row.getByRole('button', { name: 'Actions for System metrics' }));
  await screen.findByRole('menuitem', { name: 'Delete' });
  expect(screen.queryByRole('menuitem', { name: 'Roll out' })).toBeNull();
  expect(calls.some(({ path }) => path === '/v1/complianceReport')).toBe(false);
});

it('downloads a sample package, and says when that fails', async () => {
  const saved: unknown[] = [];
  const save = vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
    saved.push(content);
    return 'blob:saved';
  });
  await open('?upload=new', { 'GET /v1/packages/sample': () => new Response('PK') });
  fireEvent.click((await dialog('Upload Package Version')).getByRole('button', { name: 'Download a sample' }));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(await (saved[0] as Blob).text()).toBe('PK');
  await open('?upload=new', { 'GET /v1/packages/sample': refused(500, 'x') });
  fireEvent.click((await dialog('Upload Package Version')).getByRole('button', { name: 'Download a sample' }));
  await screen.findByText('A problem occurred downloading the sample. Please try again.');
  expect(saved).toHaveLength(1);
  save.mockRestore();
});
