/** Lists the screens of the portal in their states, for the accessibility tests and for `npm run screenshots`. */
import { hostname } from 'node:os';
import type { Page } from '@playwright/test';
import { communicationScreens } from './communication-screens.ts';
import { policyScreens } from './policy-screens.ts';
import { ruleScreens } from './rule-screens.ts';
import { providerScreens } from './provider-screens.ts';
import type { Screen } from './screen.ts';
import { makeConflict } from './panel-world.ts';

export const widths = [1440, 1024, 390];
export const themes = ['light', 'dark'] as const;

/** Opens the menu, if the window is so narrow that it is closed. */
async function openMenu(page: Page) {
  const button = page.getByRole('button', { name: 'Open menu' });
  if (await button.isVisible()) await button.click();
}

async function selectRows(page: Page) {
  for (const at of [0, 1])
    await page
      .getByRole('checkbox', { name: /^Select (?!all)/ })
      .nth(at)
      .check();
}

const chooseVerb = (verb: string) => async (page: Page) => {
  await page.getByRole('toolbar').getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: verb }).click();
};

/** One entry per screen and state. */
export const screens: readonly Screen[] = [
  { name: 'home', path: '{home}', shows: 'Open work units by severity' },
  { name: 'home-loading', path: '{home}', shows: 'Do now', refuses: { path: '/v1/work' } },
  { name: 'home-failed', path: '{home}', shows: 'This could not be loaded.', refuses: { path: '/v1/work', status: 400 } },
  { name: 'home-state-table', path: '{home}?by=state&as=table', shows: 'Show as chart' },
  { name: 'work-units-loading', path: '{home}/workunitsv2', shows: 'Loading rows', refuses: { path: '/v1/workUnits' } },
  { name: 'work-units-failed', path: '{home}/workunitsv2', shows: 'Try again', refuses: { path: '/v1/workUnits', status: 400 } },
  {
    name: 'work-units-forbidden',
    path: '{home}/workunitsv2',
    shows: 'You do not have access',
    refuses: { path: '/v1/workUnits', status: 403 },
  },
  { name: 'outbox', path: '{home}/outbox', shows: 'awaits your decision' },
  { name: 'inbox', path: '{home}/inbox', shows: 'What I am told' },
  {
    name: 'notifications',
    path: '{home}/notifications',
    shows: 'Mail of my inbox',
    act: async (page) => {
      const digest = page.getByRole('region', { name: 'Mail of my inbox' });
      await digest.getByLabel('Days').selectOption({ label: 'Every Monday' });
      await digest.getByLabel('Hour').scrollIntoViewIfNeeded();
    },
  },
  { name: 'reports', path: '{home}/reports?tenants=all', shows: 'compared with' },
  {
    name: 'reports-by-mail',
    path: '{home}/reports?tenants=all',
    shows: 'compared with',
    act: async (page) => {
      await page.getByRole('button', { name: 'Send by mail …' }).click();
      const one = page.getByRole('listitem', { name: 'Work units by category' });
      await one.or(page.getByText('You have no reports sent by mail.')).waitFor();
      if (await one.isVisible()) return;
      await page.getByRole('button', { name: 'New report by mail' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await one.waitFor();
    },
  },
  {
    name: 'report-by-mail-new',
    path: '{home}/reports?tenants=all',
    shows: 'compared with',
    act: async (page) => {
      await page.getByRole('button', { name: 'Send by mail …' }).click();
      await page.getByRole('button', { name: 'New report by mail' }).click();
    },
  },
  { name: 'change-calendar', path: '{home}/changecalendar?month=2026-12', shows: 'New firmware at once' },
  { name: 'change-freezes', path: '{home}/changefreezes', shows: 'End of the year' },
  { name: 'knowledge', path: '{home}/knowledge', shows: 'Restart the pump controller' },
  { name: 'knowledge-found', path: '{home}/knowledge?search=stuk%20valve', shows: 'turn it by hand' },
  { name: 'knowledge-due', path: '{home}/knowledge?q=due', shows: 'To be reviewed' },
  { name: 'knowledge-none', path: '{home}/knowledge?search=nothing-has-this-name', shows: 'No knowledge articles match' },
  { name: 'article', path: '{home}/knowledge/{article}', shows: 'What version 2 changed' },
  {
    name: 'article-difference',
    path: '{home}/knowledge/{article}',
    shows: 'What version 2 changed',
    act: (page) => page.getByRole('button', { name: 'What version 2 changed' }).click(),
  },
  { name: 'article-missing', path: '{home}/knowledge/0197a3b0-1111-7222-8333-444455556666', shows: 'There is no such article' },
  { name: 'article-edit', path: '{home}/knowledge/{article}?id={article}', shows: 'Who reads it' },
  {
    name: 'article-preview',
    path: '{home}/knowledge/{article}?id={article}',
    shows: 'Who reads it',
    act: (page) => page.getByRole('button', { name: 'Preview' }).click(),
  },
  {
    name: 'article-suggested',
    path: '{home}/resolutioncenter?workUnitId=new',
    shows: 'For example 202-555-0143 or 202-555-0143 x12.',
    act: async (page) => {
      await page.getByLabel('Title').first().fill('The pump does not restart');
      await page.getByRole('button', { name: 'Restart the pump controller' }).waitFor();
    },
  },
  {
    name: 'article-helps',
    path: '{home}/resolutioncenter?workUnitId=new',
    shows: 'For example 202-555-0143 or 202-555-0143 x12.',
    act: async (page) => {
      await page.getByLabel('Title').first().fill('The pump does not restart');
      await page.getByRole('button', { name: 'Restart the pump controller' }).click();
      await page.getByRole('button', { name: 'Yes, this helps' }).waitFor();
      await page.getByText('Wait until the lamp blinks').last().waitFor();
    },
  },
  {
    name: 'unit-new-suggested',
    path: '{home}/workunitsv2?workUnitId=new&type=1',
    shows: 'Create Work Unit',
    act: async (page) => {
      await page.getByLabel('Title').first().fill('The pump does not restart');
      await page.getByRole('button', { name: 'Restart the pump controller' }).waitFor();
    },
  },
  { name: 'license', path: '{home}?show=license', shows: 'Software Customer Agreement' },
  { name: 'work-units', path: '{home}/workunitsv2', shows: 'Pump 4 does not answer' },
  { name: 'work-units-none', path: '{home}/workunitsv2?search=nothing-has-this-name', shows: 'No work units match' },
  { name: 'work-units-found', path: '{home}/workunitsv2?search=pump%20vaccum', shows: 'Vacuum pump runs again.' },
  { name: 'mass-edit', path: '{home}/workunitsv2?f=&massEdit=1.1.1', shows: 'Selected work units' },
  { name: 'filter-panel', path: '{home}/workunitsv2?f=&filters=open', shows: 'Clear all' },
  {
    name: 'saved-views',
    path: '{home}/workunitsv2',
    shows: 'Saved views',
    act: (page) => page.getByRole('button', { name: 'Views', exact: true }).click(),
  },
  {
    name: 'saved-view-form',
    path: '{home}/devices',
    shows: 'Show in the menu, with its count',
    act: async (page) => {
      await page.getByRole('button', { name: 'Views', exact: true }).click();
      await page.getByRole('button', { name: 'Save as a view' }).click();
    },
  },
  { name: 'work-unit', path: '{home}/workunitsv2?workUnitId={unit}', shows: 'Vacuum pump runs again.' },
  { name: 'work-unit-page', path: '{home}/workunitsv2?workUnitId={incident}&view=page', shows: 'waits for a person' },
  {
    name: 'work-unit-resolve',
    path: '{home}/workunitsv2?workUnitId={incident}',
    shows: 'What was the matter, and what was done?',
    act: (page) => page.getByRole('toolbar').getByRole('button', { name: 'Resolve…' }).click(),
  },
  { name: 'work-unit-assign', path: '{home}/workunitsv2?workUnitId={incident}', shows: 'Nobody', act: chooseVerb('Assign to…') },
  { name: 'work-unit-snooze', path: '{home}/workunitsv2?workUnitId={incident}', shows: 'Until tomorrow, 8:00', act: chooseVerb('Snooze…') },
  {
    name: 'work-unit-merge',
    path: '{home}/workunitsv2?workUnitId={incident}',
    shows: 'Work unit that stays',
    act: chooseVerb('Merge into…'),
  },
  { name: 'work-unit-merged', path: '{home}/workunitsv2?workUnitId={merged}', shows: 'Merged as a duplicate into' },
  { name: 'work-unit-properties', path: '{home}/workunitsv2?workUnitId={unit}&tab=properties', shows: 'Work Unit Properties' },
  { name: 'work-unit-related', path: '{home}/workunitsv2?workUnitId={incident}&tab=related', shows: 'No related Devices found.' },
  { name: 'work-unit-protocols', path: '{home}/workunitsv2?workUnitId={incident}&tab=protocols', shows: 'Silent gateway' },
  { name: 'work-unit-pending', path: '{home}/workunitsv2?workUnitId={incident}&tab=pending', shows: 'Tell the site manager' },
  { name: 'work-unit-change', path: '{home}/workunitsv2?workUnitId={change}', shows: 'Waiting for you' },
  {
    name: 'work-unit-decline',
    path: '{home}/workunitsv2?workUnitId={change}',
    shows: 'Decision Note',
    act: (page) => page.getByRole('button', { name: 'Reject slot 1' }).click(),
  },
  {
    name: 'work-unit-then',
    path: '{home}/workunitsv2?workUnitId={unit}&feed=history',
    shows: 'The same as now',
    act: (page) => page.getByRole('button', { name: 'See the unit as it was then' }).last().click(),
  },
  {
    name: 'work-unit-conflict',
    path: '{home}/workunitsv2?workUnitId={unit}',
    shows: 'This Work Unit was modified by another user.',
    act: makeConflict,
  },
  { name: 'work-unit-create', path: '{home}/workunitsv2?workUnitId=new&type=1', shows: 'Create Work Unit' },
  {
    name: 'work-unit-wrong',
    path: '{home}/workunitsv2?workUnitId=new&type=1',
    shows: 'Please enter the title',
    act: (page) =>
      page
        .locator('.side-panel .foot')
        .getByRole('button', { name: /Create|Save/ })
        .click(),
  },
  {
    name: 'add-devices',
    path: '{home}/pendingdevices?add=new',
    shows: 'How many machines',
    act: (page) => page.getByLabel(/^New machines/).selectOption('rule'),
  },
  {
    name: 'add-devices-line',
    path: '{home}/pendingdevices?add=new',
    shows: 'shown only here and only now',
    act: (page) => page.locator('.side-panel .foot').getByRole('button', { name: 'Create' }).click(),
  },
  { name: 'devices', path: '{home}/devices', shows: hostname() },
  { name: 'devices-selected', path: '{home}/devices', shows: '2 selected', act: selectRows },
  { name: 'device', path: '{home}/devices?id={device}', shows: 'Machine' },
  { name: 'device-settings', path: '{home}/devices?id={device}&tab=form', shows: 'Placement' },
  { name: 'device-page', path: '{home}/devices/{device}?range=1h&compare=week', shows: 'Disk' },
  { name: 'device-page-table', path: '{home}/devices/{device}?range=1h&as=table', shows: 'Readings' },
  {
    name: 'device-page-failed',
    path: '{home}/devices/{device}',
    shows: 'The readings could not be loaded.',
    refuses: { path: '/v1/series', status: 400 },
  },
  { name: 'device-page-packets', path: '{home}/devices/{device}?part=packets', shows: 'Uptime' },
  { name: 'device-page-installations', path: '{home}/devices/{device}?part=installations', shows: 'System metrics' },
  { name: 'device-tracing', path: '{home}/devices?tracing={device}', shows: 'Tracing is on; it ends' },
  { name: 'device-installations', path: '{home}/devices?installations={device}', shows: 'System metrics' },
  { name: 'device-logs', path: '{home}/devices?logs={device}&panel.type=Information', shows: 'Tracing was switched on for 240 minutes.' },
  { name: 'device-packets', path: '{home}/devices?packets={device}', shows: 'AgentVersion' },
  { name: 'dashboards', path: '{home}/dashboards', shows: 'Everybody changes it' },
  { name: 'dashboard', path: '{home}/dashboards/{dashboard}', shows: 'Versions up to date' },
  { name: 'dashboard-editing', path: '{home}/dashboards/{dashboard}?edit=1', shows: 'Add tile' },
  { name: 'dashboard-kiosk', path: '{home}/kiosk/{dashboard}', shows: 'Live' },
  { name: 'campaigns', path: '{home}/campaigns', shows: 'choose what is to be done on all of them' },
  {
    name: 'campaign-start',
    path: '{home}/devices',
    shows: 'can begin at once',
    act: async (page) => {
      await page.getByRole('row', { name: hostname() }).getByRole('checkbox').click();
      await page.getByRole('button', { name: 'Restart', exact: true }).click();
    },
  },
  {
    name: 'device-restart',
    path: '{home}/devices',
    shows: 'It does not measure for a few seconds',
    act: async (page) => {
      await page.getByRole('button', { name: `Actions for ${hostname()}` }).click();
      await page.getByRole('menuitem', { name: 'Restart Agent' }).click();
    },
  },
  { name: 'operations', path: '{home}/devices?operations={historian}&panel.disabled=show', shows: '(Queued)' },
  {
    name: 'operations-failed',
    path: '{home}/devices?operations={historian}',
    shows: 'The operations of the device could not be loaded.',
    refuses: { path: '/v1/deviceOperations', status: 400 },
  },
  { name: 'operation', path: '{home}/devices?operations={historian}&panel.operation={deviceOperation}', shows: 'Lookup key' },
  { name: 'operation-add', path: '{home}/devices?operations={historian}&panel.add=list', shows: 'Add Operation' },
  {
    name: 'operation-wrong',
    path: '{home}/devices?operations={historian}&panel.add=list&panel.new={packageOperation}',
    shows: 'Placeholder is required.',
    act: async (page) => {
      const form = page.getByRole('dialog', { name: 'Create Device Operation' });
      await form.getByRole('button', { name: 'Add secured value to Account' }).click();
      await form.getByRole('button', { name: 'Create' }).click();
    },
  },
  { name: 'operation-logs', path: '{home}/devices?operations={historian}&panel.logs={askedOperation}', shows: 'A run was requested.' },
  { name: 'operation-runs', path: '{home}/devices?operations={historian}&panel.runs={askedOperation}', shows: 'Run again' },
  { name: 'operation-packets', path: '{home}/devices?operations={historian}&panel.packets={deviceOperation}', shows: 'FreePercent' },
  {
    name: 'operation-clone-wrong',
    path: '{home}/devices?operations={historian}&panel.clone=open',
    shows: 'At least one operation is required.',
    act: (page) => page.getByRole('button', { name: 'Clone', exact: true }).click(),
  },
  { name: 'rules', path: '{home}/rules', shows: 'CPU over 90 % three times in a row' },
  ...ruleScreens,
  { name: 'rules-selected', path: '{home}/rules', shows: '2 selected', act: selectRows },
  {
    name: 'rule-wrong',
    path: '{home}/rules?id=new&tab=conditions',
    shows: 'Please select what to compare.',
    act: async (page) => {
      await page.getByRole('switch', { name: 'Only at certain times' }).check();
      await page.getByRole('dialog', { name: 'Create Rule' }).getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('tab', { name: /^Conditions/ }).click();
    },
  },
  { name: 'rule-matches', path: '{home}/rules?matchesOf={blockRule}', shows: 'Furnace over 90: Furnace temperature' },
  { name: 'rule-match', path: '{home}/rules?matchesOf={blockRule}&panel.match={match}', shows: 'Packet that matched' },
  { name: 'blocks', path: '{home}/blocks', shows: 'Furnace temperature' },
  { name: 'blocks-none', path: '{home}/blocks?search=nothing-has-this-name', shows: 'No blocks found' },
  { name: 'blocks-failed', path: '{home}/blocks', shows: 'Try again', refuses: { path: '/v1/blocks', status: 400 } },
  { name: 'block', path: '{home}/blocks?blockId={block}', shows: 'Open packet' },
  { name: 'block-matches', path: '{home}/blocks?blockId={block}&tab=ruleMatches', shows: 'Furnace over 90' },
  { name: 'block-history', path: '{home}/blocks?blockId={block}&tab=history', shows: 'Timestamp' },
  { name: 'block-create', path: '{home}/blocks?blockId=new', shows: 'Values are posted under this ID.' },
  { name: 'packet', path: '{home}/packets/{block}', shows: 'Message' },
  { name: 'locations', path: '{home}/locations', shows: 'Plant 7' },
  {
    name: 'location-menu',
    path: '{home}/locations',
    shows: 'Delete',
    act: (page) => page.getByRole('button', { name: 'Actions for Plant 7' }).click(),
  },
  { name: 'location-create', path: '{home}/locations?id=new', shows: 'Coordinates' },
  { name: 'tenants', path: '{home}/tenants', shows: 'Southwind Water' },
  { name: 'tenant', path: '{home}/tenants?id={tenant}', shows: 'Internal notification email' },
  { name: 'tenant-fields', path: '{home}/tenants?id={tenant}&tab=fields', shows: 'Separated by commas' },
  {
    name: 'tenant-secrets',
    path: '{home}/tenants?id={tenant}&tab=secrets',
    shows: 'violet tractor marzipan',
    act: (page) => page.getByRole('button', { name: 'Show mail.key' }).click(),
  },
  { name: 'subscriptions', path: '{home}/tenants?subscriptionsOf={tenant}', shows: 'Pumping stations' },
  { name: 'tokens', path: '{home}/tokens', shows: 'Never' },
  { name: 'token-create', path: '{home}/tokens?id=new', shows: 'An agent needs both' },
  { name: 'token', path: '{home}/tokens?id={token}', shows: 'Register and run agents' },
  {
    name: 'token-generated',
    path: '{home}/tokens?id=new',
    shows: 'Copy it now',
    act: async (page) => {
      const panel = page.getByRole('dialog', { name: 'Create Token' });
      await panel.getByLabel('Name').fill('Plant 7');
      await panel.getByLabel('Lifetime').selectOption('1 year');
      await panel.getByRole('button', { name: 'Create' }).click();
    },
  },
  {
    name: 'pending-devices',
    path: '{home}/pendingdevices',
    shows: '2 selected',
    act: selectRows,
  },
  {
    name: 'pending-devices-too-many',
    path: '{home}/pendingdevices?rows=50',
    shows: 'Please select fewer than 25 Devices.',
    async act(page) {
      // Before the rows are there, the box for all of them cannot be checked.
      await page.getByRole('checkbox').nth(25).waitFor();
      await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    },
  },
  { name: 'pending-device', path: '{home}/pendingdevices?id={pending}', shows: 'Reported by the machine' },
  { name: 'packages', path: '{home}/packages?rows=50', shows: 'System metrics' },
  { name: 'package', path: '{home}/packages?id={package}', shows: 'Supported Operating Systems' },
  { name: 'package-operations', path: '{home}/packages?id={package}&tab=operations', shows: 'Disk space' },
  {
    name: 'package-parameters',
    path: '{home}/packages?id={package}&tab=operations&panel.parameters={packageOperation}',
    shows: 'Where to look',
  },
  { name: 'package-versions', path: '{home}/packages?id={package}&tab=versions', shows: 'Reads all mounts' },
  {
    name: 'package-upload-wrong',
    path: '{home}/packages?upload=new',
    shows: 'File is required.',
    act: (page) => page.getByRole('button', { name: 'Upload', exact: true }).click(),
  },
  { name: 'publisher-create', path: '{home}/publishers?id=new', shows: 'Ed25519' },
  { name: 'publishers', path: '{home}/publishers', shows: 'Pump works' },
  { name: 'mib-create', path: '{home}/mibs?id=new', shows: 'The file of the MIB' },
  { name: 'service-levels', path: '{home}/servicelevels', shows: 'Service Levels' },
  { name: 'service-level-create', path: '{home}/servicelevels?id=new', shows: 'Minutes to resolve' },
  { name: 'working-calendars', path: '{home}/workingcalendars', shows: 'Working Calendars' },
  { name: 'working-calendar-create', path: '{home}/workingcalendars?id=new', shows: 'Working hours' },
  { name: 'mibs', path: '{home}/mibs', shows: 'MIBs' },
  { name: 'version-report', path: '{home}/versionreport', shows: 'press-1' },
  { name: 'versions-over-time', path: '{home}/versionreport?view=time', shows: 'Share of devices' },
  { name: 'status-pages', path: '{home}/statuspages', shows: 'Screens status' },
  { name: 'status-pages-none', path: '{home}/statuspages?search=nothing-has-this-name', shows: 'No status pages match' },
  { name: 'status-page', path: '{home}/statuspages?id={statusPage}', shows: 'Everybody can open' },
  {
    name: 'status-page-new',
    path: '{home}/statuspages?id=new',
    shows: 'Public name',
    act: (page) => page.getByRole('button', { name: 'Add component' }).click(),
  },
  { name: 'version-report-none', path: '{home}/versionreport?search=nothing-has-this-name', shows: 'Up-to-date devices' },
  { name: 'compliance', path: '{home}/compliance', shows: 'Devices report' },
  {
    name: 'compliance-control-set',
    path: '{home}/compliance',
    shows: 'Control sets',
    act: async (page) => {
      await page.getByRole('button', { name: 'Control sets' }).click();
      await page.getByRole('menuitem', { name: 'Edit this control set' }).click();
      await page.getByLabel('Title of control 1', { exact: true }).waitFor();
    },
  },
  {
    name: 'compliance-report',
    path: '{home}/compliance',
    shows: 'Report',
    act: async (page) => {
      await page.getByRole('link', { name: 'Report', exact: true }).click();
      await page.getByText('Not signed off').waitFor();
    },
  },
  {
    name: 'compliance-evidence',
    path: '{home}/compliance',
    shows: 'No evidence yet',
    act: (page) =>
      page
        .getByRole('button', { name: /^Evidence of / })
        .first()
        .click(),
  },
  { name: 'compliance-none', path: '{home}/compliance?set=none', shows: 'Its controls appear here' },
  { name: 'protocols', path: '{home}/protocols', shows: 'Silent gateway' },
  { name: 'protocol', path: '{home}/protocols?id={protocol}', shows: 'Timer Interval' },
  {
    name: 'protocol-steps',
    path: '{home}/protocols?id={protocol}',
    shows: 'Wait after the event',
    act: async (page) => {
      await page.getByRole('button', { name: 'Add step on OnNew' }).click();
      await page.locator('.step-title').first().click();
    },
  },
  { name: 'protocol-rules', path: '{home}/protocols?id={protocol}&tab=rules', shows: 'Gateway is hot' },
  { name: 'protocol-actions', path: '{home}/protocols?actionsOf={protocol}', shows: 'Wake the network desk' },
  {
    name: 'protocol-action',
    path: '{home}/protocols?actionsOf={protocol}&protocolActionId={protocolAction}',
    shows: 'May name fields of the work unit',
  },
  { name: 'action-catalog', path: '{home}/actioncatalog', shows: 'Page the desk' },
  { name: 'action', path: '{home}/actioncatalog?id={action}', shows: 'Endpoint URL' },
  {
    name: 'action-test',
    path: '{home}/actioncatalog?testOf={action}',
    shows: 'Result detail',
    act: (page) => page.getByRole('button', { name: 'Run test' }).click(),
  },
  {
    name: 'action-test-preview',
    path: '{home}/actioncatalog?testOf={action}',
    shows: 'What will be sent',
    act: (page) => page.getByLabel('Take them from').selectOption({ index: 1 }),
  },
  {
    name: 'action-placeholders',
    path: '{home}/actioncatalog?id={action}',
    shows: 'Public ID of the work unit',
    act: (page) => page.getByLabel('Endpoint URL').pressSequentially('{'),
  },
  { name: 'action-history', path: '{home}/actioncatalog?id={action}&tab=history', shows: 'History' },
  { name: 'action-delete', path: '{home}/actioncatalog?deleteOf={action}', shows: 'No rule uses it.' },
  { name: 'intake', path: '{home}/workunitsv2?intake=new', shows: 'Spam Call' },
  {
    name: 'intake-wrong',
    path: '{home}/workunitsv2?intake=new',
    shows: 'Stakeholder phone number is required.',
    act: (page) => page.getByRole('button', { name: 'Submit' }).click(),
  },
  { name: 'intake-drafts', path: '{home}/workunitsv2?intake=new&drafts=open', shows: 'No drafts' },
  { name: 'work-unit-settings', path: '{home}/workunitsettings', shows: 'Telephony' },
  { name: 'work-unit-category', path: '{home}/workunitsettings?id={category}', shows: 'Edit Work Unit Category: Telephony' },
  { name: 'work-unit-subcategories', path: '{home}/workunitsettings?subcategoriesOf={category}', shows: 'No dial tone' },
  { name: 'access-request', path: '/user/accessrequest', shows: 'Request type' },
  {
    name: 'access-request-wrong',
    path: '/user/accessrequest',
    shows: 'Request type is required.',
    act: (page) => page.getByRole('button', { name: 'Send request' }).click(),
  },
  ...communicationScreens,
  ...policyScreens,
  ...providerScreens,
  {
    name: 'resolution-center-none',
    path: '/resolutioncenter?showThanksForFeedbackMessage=true',
    shows: 'Thank you for your valuable feedback!',
  },
  { name: 'request-create', path: '{home}/resolutioncenter?workUnitId=new', shows: 'For example 202-555-0143 or 202-555-0143 x12.' },
  {
    name: 'filter',
    path: '{home}/workunitsv2',
    shows: 'Assignment Group',
    act: (page) => page.getByRole('button', { name: 'Filter', exact: true }).click(),
  },
  { name: 'profile-menu', path: '{home}', shows: 'Log out', act: (page) => page.getByTitle('Profile').click() },
  {
    name: 'settings',
    path: '{home}',
    shows: 'Appearance',
    act: async (page) => {
      await page.getByTitle('Profile').click();
      await page.getByRole('menuitem', { name: 'Settings' }).click();
    },
  },
  { name: 'people', path: '{home}/people', shows: 'ada@example.com' },
  {
    name: 'people-sign-ins',
    path: '{home}/people',
    shows: 'Where this person is signed in',
    act: async (page) => {
      await page.getByRole('link', { name: 'Administrator' }).click();
      await page.getByRole('tab', { name: 'Sign-ins' }).click();
      await page.getByRole('button', { name: 'End all' }).waitFor();
    },
  },
  { name: 'invite', path: '{home}/people?invite=new', shows: 'Sees everything except tokens' },
  {
    name: 'person-access',
    path: '{home}/people',
    shows: 'Sees everything except tokens',
    act: async (page) => {
      await page.getByRole('link', { name: 'Administrator' }).click();
      await page.getByRole('tab', { name: 'Access' }).click();
      await page.getByRole('button', { name: 'End Administrator in All tenants' }).waitFor();
    },
  },
  {
    name: 'person-why',
    path: '{home}/people',
    shows: 'Administrator may: CloudFit.CFS.Devices:view',
    act: async (page) => {
      await page.getByRole('link', { name: 'Administrator' }).click();
      await page.getByRole('tab', { name: 'Why' }).click();
      await page.getByRole('button', { name: 'Explain' }).click();
    },
  },
  { name: 'permission-set', path: '{home}/permissionsets?id=00000000-0000-4000-8000-0000000000a2', shows: 'Comes with the product' },
  { name: 'on-call', path: '{home}/oncall', shows: 'A schedule says who takes turns on call' },
  { name: 'on-call-create', path: '{home}/oncall?id=new', shows: 'The first layer that has somebody counts' },
  { name: 'matches', path: '{home}/matches', shows: 'Furnace temperature' },
  { name: 'why-all', path: '{home}/why?entity={device}', shows: 'How the rules evaluated it' },
  { name: 'noise', path: '{home}/noise', shows: 'Furnace over 90' },
  { name: 'activity', path: '{home}/activity', shows: 'All problems' },
  { name: 'installation', path: '{home}/installation', shows: 'Queues per tenant' },
  { name: 'protocol-new', path: '{home}/protocols?id=new', shows: 'Simulation' },
  { name: 'audit', path: '{home}/audit', shows: 'Created' },
  { name: 'configuration', path: '{home}/configuration', shows: 'PACKET_RETENTION_DAYS' },
  { name: 'permission-sets', path: '{home}/permissionsets', shows: 'requires a second factor' },
  { name: 'keys', path: '{home}', shows: 'Focus the search', act: (page) => page.keyboard.press('?') },
  { name: 'palette', path: '{home}', shows: 'Go to', act: (page) => page.keyboard.press('Control+k') },
  {
    name: 'palette-found',
    path: '{home}/devices',
    shows: 'Pump 4 does not answer',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command palette' }).fill('pump');
    },
  },
  {
    name: 'palette-none',
    path: '{home}',
    shows: 'Nothing matches “zebra crossing”.',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command palette' }).fill('zebra crossing');
    },
  },
  {
    name: 'tenant-picker',
    path: '{home}',
    shows: 'Switch',
    act: (page) => page.getByRole('button', { name: /Switch tenant and subscription/ }).click(),
  },
  { name: 'menu', path: '{home}', shows: 'License', act: openMenu },
  { name: 'not-found', path: '{home}/nothing-here', shows: 'Go Back Home' },
  { name: 'access-denied', path: '/user/accessDenied', shows: 'Please contact your system administrator for access.' },
];
