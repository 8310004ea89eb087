import '../../testing/browser.ts';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { refused } from '../../testing/render-app.tsx';
import { id, now, installOf, installs, installsPath, savePath, open, dialog, sent, choose } from './devices-page.fixtures.ts';

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('chooses the versions that should be on a device', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  const details = [{ target: 'items.0.packageVersionId', message: 'Version was not found in Checks for this device.' }];
  let works = false;
  const pending = { ...installs[0]?.installPackage, packageVersionId: null, installStatus: 'UninstallPending' };
  const { calls } = await open('', {
    [`POST ${savePath}`]: () =>
      works ? Response.json({ value: [{ ...installs[0], installPackage: pending }, installs[1]] }) : refused(400, 'x', details)(),
  });
  await choose('pump-4', 'Installations');
  await proves('[DEV-019] a panel shows them', () => dialog('Installations: pump-4'));
  const panel = await dialog('Installations: pump-4');
  const checks = await panel.findByLabelText<HTMLSelectElement>('Version of Checks');
  const metrics = panel.getByLabelText<HTMLSelectElement>('Version of System metrics');
  await proves('[INST-005] offers the versions and none', () =>
    expect([...checks.options].map((option) => option.text)).toEqual(['None', '1.1.0', '1.0.0']),
  );
  await proves('[INST-006] an available one has none', () =>
    expect([checks, metrics].map((select) => select.selectedOptions[0]?.text)).toEqual(['1.0.0', 'None']),
  );
  fireEvent.change(checks, { target: { value: '' } });
  fireEvent.change(metrics, { target: { value: 'p2-v2' } });
  panel.getByText('2 changes');
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await proves('[ERR-017] says what failed', () => screen.findByText('A problem occurred saving the installations. Please try again.'));
  panel.getByText('Version was not found in Checks for this device.');
  expect([checks.value, metrics.value]).toEqual(['', 'p2-v2']);
  works = true;
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await panel.findAllByText('Removal pending');
  await proves('[INST-001] saves what was chosen', () =>
    expect(sent(calls, 'POST', savePath).at(-1)?.body).toEqual({
      items: [
        { packageId: 'p1', deviceId: id, packageVersionId: '' },
        { packageId: 'p2', deviceId: id, packageVersionId: 'p2-v2' },
      ],
    }),
  );
});

it('tells the step, the reason and why a package is there, and has a failed installation tried again', async () => {
  const [checks, metrics] = installs;
  const reason = 'The check of version 1.1.0 ended with exit code 3. Version 1.0.0 is in use again.';
  const failure = 'Inventory 2.0.0 could not be installed: its check found no disk.';
  const value = [
    // The failure is shown once, as the detail of the status.
    {
      ...checks,
      installPackage: {
        ...checks?.installPackage,
        installStatus: 'RolledBack',
        statusDetail: reason,
        packageVersionId: 'v2',
        failure: 'Told already.',
        failed: now,
      },
    },
    installOf('p3', 'Inventory', {
      packageVersionId: 'p3-v1',
      installedVersionId: 'p3-v1',
      installStatus: 'Installed',
      failure,
      failed: now,
    }),
    {
      ...metrics,
      installPackage: { ...metrics?.installPackage, installStatus: 'Downloading', progress: 42, operations: 2, packageVersionId: 'p2-v2' },
    },
  ];
  const { calls } = await open(`?installations=${id}`, { [`GET ${installsPath}`]: { value }, [`POST ${savePath}`]: { value } });
  const panel = await dialog('Installations: pump-4');
  await panel.findAllByText('Downloading 42 %');
  panel.getByText('Needed by 2 operations');
  panel.getAllByText('Rolled back');
  panel.getByText(reason);
  panel.getByText(`Failed before: ${failure}`, { exact: false });
  expect(panel.queryByText(/Told already/)).toBeNull();
  fireEvent.click(panel.getByRole('button', { name: 'Try again' }));
  await screen.findByText('The agent tries again.');
  expect(sent(calls, 'POST', savePath).at(-1)?.body).toEqual({ items: [{ packageId: 'p1', deviceId: id, packageVersionId: 'v2' }] });
});

it('names the operations that need a package before it is removed, and disables them with it', async () => {
  const [checks] = installs;
  const value = [{ ...checks, installPackage: { ...checks?.installPackage, operations: 2, operationLabels: ['Disk space', 'Load'] } }];
  const { calls } = await open(`?installations=${id}`, { [`GET ${installsPath}`]: { value }, [`POST ${savePath}`]: { value } });
  const panel = await dialog('Installations: pump-4');
  fireEvent.change(await panel.findByLabelText('Version of Checks'), { target: { value: '' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await screen.findByText(/Checks is needed by Disk space, Load\. These operations are disabled with the removal\./);
  expect(sent(calls, 'POST', savePath)).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'Remove and disable' }));
  await waitFor(() =>
    expect(sent(calls, 'POST', savePath).at(-1)?.body).toEqual({
      items: [{ packageId: 'p1', deviceId: id, packageVersionId: '', disableOperations: true }],
    }),
  );
});
