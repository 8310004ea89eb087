/** Tests uploads, downloads and saving on blur, which need a real browser and server. */
import { expect, test, type Page } from '@playwright/test';
import { manifestOf, packageZip } from '../server/src/testing/packages/zip.ts';
import { signInBeforeAll } from './world.ts';

let page: Page;
let home = '';

signInBeforeAll(
  (session) => {
    ({ page } = session);
    home = page.url();
  },
  { browser: { reducedMotion: 'reduce' } },
);

const zip = async (version: string) => ({
  name: `metrics-${version}.zip`,
  mimeType: 'application/zip',
  buffer: await packageZip(manifestOf({ name: 'Disk metrics', version })),
});

test('a package is uploaded, gets another version, and loses its first one', async () => {
  await page.goto(`${home}/packages`);
  await page.getByRole('button', { name: 'Upload Package' }).click();
  const panel = page.getByRole('dialog', { name: 'Upload Package Version' });
  await panel.getByLabel('Label').fill('First release');
  await panel.getByLabel('Files').setInputFiles([{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no zip') }]);
  await panel.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(panel.getByRole('alert')).toContainText('notes.txt');
  await panel.getByRole('button', { name: 'Remove notes.txt' }).click();
  await panel.getByLabel('Files').setInputFiles([await zip('1.0.0')]);
  await panel.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(page.getByText('Version 1.0.0 uploaded.')).toBeVisible();

  const open = page.getByRole('dialog', { name: 'Edit Package: Disk metrics' });
  await expect(open.getByRole('row', { name: /1\.0\.0/ })).toContainText('Latest');
  await open.getByRole('button', { name: 'Upload Package Version' }).click();
  await panel.getByLabel('Label').fill('Second release');
  await panel.getByLabel('Files').setInputFiles([await zip('1.1.0')]);
  await panel.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(open.getByRole('row', { name: /1\.1\.0/ })).toContainText('Latest');
  await expect(open.getByRole('button', { name: 'Delete version 1.1.0' })).toHaveCount(0);
  await open.getByRole('button', { name: 'Delete version 1.0.0' }).click();
  await page.getByRole('dialog', { name: 'Delete Package Version' }).getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Package version deleted successfully.')).toBeVisible();
  await expect(open.getByRole('row', { name: /1\.0\.0/ })).toHaveCount(0);
});

test('what is said about a control is there after a reload, and in the file of the week', async () => {
  await page.goto(`${home}/compliance`);
  const control = page.getByRole('row', { name: /^OPS-01/ });
  await control.getByLabel('Notes on OPS-01').fill('Seen with the plant manager');
  // The click also blurs the field, so both changes go to one record.
  await control.getByRole('button', { name: 'Non-compliant' }).click();
  await expect(page.getByText('Control notes saved.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Non-compliant 1/ })).toBeVisible();
  await expect
    .poll(async () => {
      await page.reload();
      const isPressed = await control.getByRole('button', { name: 'Non-compliant' }).getAttribute('aria-pressed');
      return [isPressed, await control.getByLabel('Notes on OPS-01').inputValue()];
    })
    .toEqual(['true', 'Seen with the plant manager']);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export to CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/^manualresults-wk-\d{4}-\d\d-\d\d\.csv$/);
  await control.getByRole('button', { name: 'Non-compliant' }).click();
  await page.getByRole('dialog', { name: 'Remove Status' }).getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Control Status successfully deleted.')).toBeVisible();
  await expect(control.getByLabel('Notes on OPS-01')).toHaveValue('');
});
