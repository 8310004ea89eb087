/** Evidence, the sign-off of a week, the strip of weeks, the report of a week, and the editor of control sets. */
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';
import { dayOf, weekBefore } from './week-picker.tsx';

const setId = '01a1fcdb-0000-7000-8000-0000000000e1';
const statusId = '01a1fcdb-0000-7000-8000-0000000000aa';
const signOffId = '01a1fcdb-0000-7000-8000-0000000000bb';
const monday = '2026-11-02T00:00:00.000Z';
const control = (n: number, status: string | undefined) => ({
  id: `01a1fcdb-0000-7000-8000-0000000000f${n}`,
  name: `C-${n}`,
  title: `Title ${n}`,
  description: null,
  position: n,
  controlStatuses: status === undefined ? [] : [{ id: statusId, checkDate: monday, status, notes: null, tenantId }],
});
const evidence = {
  evidenceId: '01a1fcdb-0000-7000-8000-0000000000cc',
  tenantId,
  controlStatusId: statusId,
  kind: 'Link',
  title: 'Backup log',
  url: 'https://wiki.example.com/backup',
  fact: null,
  fileName: null,
  size: null,
  sha256: null,
  created: '2026-11-03T08:00:00.000Z',
  createdBy: 'jonas@northwind.example',
};

const importedId = '01a1fcdb-0000-7000-8000-0000000000dd';

/** A fake server that stores evidence and sign-offs. */
function server(over: Answers = {}): Answers {
  const stored: object[] = [evidence];
  const signed: { reopenedOn: string | null }[] = [];
  return {
    'GET /v1/controlSets': ({ query }: ApiCall) => {
      const expand = query.get('$expand');
      if (query.get('$filter')?.includes('Tiny catalog')) return list([{ id: importedId }]);
      if (!expand) return list([{ id: setId, name: 'Office checks' }]);
      const isBefore = expand.includes('2026-10-26');
      return list([
        {
          id: setId,
          name: 'Office checks',
          description: null,
          controls: [control(1, isBefore ? 'Poam' : 'Compliant'), control(2, undefined)],
        },
      ]);
    },
    'GET /v1/controlEvidence': ({ query }: ApiCall) =>
      query.has('$apply') ? { value: [{ controlStatusId: statusId, n: stored.length }] } : list(stored),
    'GET /v1/complianceSignOffs': () => list(signed.filter((item) => item.reopenedOn === null)),
    [`POST /v1/controlstatuses(${statusId})/Evidence`]: ({ body }: ApiCall) => {
      stored.push({
        ...evidence,
        ...(body as object),
        title: `Added ${stored.length}`,
        evidenceId: `${evidence.evidenceId.slice(0, -1)}${stored.length}`,
      });
      return stored.at(-1);
    },
    [`DELETE /v1/controlEvidence/${evidence.evidenceId}`]: () => {
      stored.shift();
      return new Response(null, { status: 204 });
    },
    'GET /v1/compliancefacts': { value: [{ key: 'rules', title: 'Rules', text: '3 rules; 1 of them disabled.' }] },
    [`POST /v1/controlsets(${setId})/SignOff`]: () => {
      signed.push({ signOffId, signedBy: 'jonas@northwind.example', created: monday, reopenedOn: null } as never);
      return signed[0];
    },
    [`POST /v1/compliancesignoffs(${signOffId})/Reopen`]: () => {
      signed.length = 0;
      return {};
    },
    ...over,
  };
}
const open = (over: Answers = {}) => renderApp(`/${tenantId}/compliance?set=${setId}&week=2026-11-05`, server(over));
const sent = (calls: readonly ApiCall[]) => calls.filter((call) => call.method !== 'GET' && /control|compliance/.test(call.path));
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it('shows the evidence of a control and adds a link, a fact and a file', async () => {
  const { calls } = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Evidence of C-1: 1 piece of evidence' }));
  const panel = within(await screen.findByRole('dialog', { name: 'Evidence of C-1' }));
  expect((await panel.findByRole('link', { name: 'Backup log' })).getAttribute('href')).toBe(evidence.url);
  await panel.findByText(/^Jonas Feld/);
  expect(document.activeElement).toBe(panel.getByLabelText(/^Address/));
  fireEvent.change(panel.getByLabelText(/^Address/), { target: { value: 'https://ci.example.com/7' } });
  fireEvent.click(panel.getByRole('button', { name: 'Add evidence' }));
  await waitFor(() => expect(sent(calls)[0]?.body).toEqual({ kind: 'Link', url: 'https://ci.example.com/7', title: '' }));
  await waitFor(() => expect(panel.getAllByRole('button', { name: /^Remove: / })).toHaveLength(2));
  await waitFor(() => expect(document.activeElement).toBe(panel.getByLabelText(/^Address/)));
  fireEvent.click(panel.getByRole('tab', { name: 'Fact' }));
  fireEvent.click(await panel.findByRole('button', { name: 'Record: Rules' }));
  await waitFor(() => expect(sent(calls)[1]?.body).toEqual({ kind: 'Fact', fact: 'rules' }));
  fireEvent.click(panel.getByRole('tab', { name: 'File' }));
  fireEvent.change(panel.getByLabelText('File', { selector: 'input' }), { target: { files: [new File(['seen'], 'proof.txt')] } });
  await waitFor(() => expect(sent(calls)[2]?.body).toEqual({ kind: 'File', fileName: 'proof.txt', content: btoa('seen') }));
  fireEvent.click(panel.getByRole('button', { name: 'Remove: Backup log' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Remove Evidence' })).getByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(panel.queryByRole('link', { name: 'Backup log' })).toBeNull());
  await screen.findByRole('button', { name: 'Evidence of C-1: 3 pieces of evidence' });
});

it('keeps an address that was typed, for the control for which it was typed', async () => {
  const second = control(2, 'Compliant');
  const other = { ...second, controlStatuses: second.controlStatuses.map((status) => ({ ...status, id: importedId })) };
  const set = { id: setId, name: 'Office checks', description: null, controls: [control(1, 'Compliant'), other] };
  await open({ 'GET /v1/controlSets': list([set]) });
  const openOf = async (name: string) => {
    fireEvent.click(await screen.findByRole('button', { name: new RegExp(`^Evidence of ${name}`) }));
    const panel = within(await screen.findByRole('dialog', { name: `Evidence of ${name}` }));
    await panel.findByRole('link', { name: 'Backup log' });
    return { panel, address: () => panel.getByLabelText<HTMLInputElement>(/^Address/) };
  };
  const { panel, address } = await openOf('C-1');
  fireEvent.change(address(), { target: { value: 'https://ci.example.com/7' } });
  fireEvent.click(panel.getByRole('button', { name: 'Close' }));
  const again = await openOf('C-1');
  await waitFor(() => expect(again.address().value).toBe('https://ci.example.com/7'));
  const ofOther = await openOf('C-2');
  await waitFor(() => expect(ofOther.panel.queryByText(/restored/)).toBeNull());
  expect(ofOther.address().value).toBe('');
});

it('says what changed since the week before, signs the week off, and freezes it until it is opened again', async () => {
  const { calls, search } = await open();
  await screen.findByText('was POA&M');
  fireEvent.click(screen.getByRole('button', { name: 'Changed since last week 1' }));
  await waitFor(() => expect(search().get('changed')).toBe('1'));
  expect(screen.queryByText('Title 2')).toBeNull();
  screen.getByRole('button', { name: 'Sign off' }).focus();
  fireEvent.click(screen.getByRole('button', { name: 'Sign off' }));
  const question = within(await screen.findByRole('dialog', { name: 'Sign off' }));
  question.getByText(/1 control has no status\./);
  fireEvent.change(question.getByLabelText('Note for the report'), { target: { value: 'Board' } });
  fireEvent.click(question.getByRole('button', { name: 'Sign off' }));
  await screen.findByText('Signed off by Jonas Feld');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('link', { name: 'Report' })));
  expect(sent(calls)[0]?.body).toEqual({ tenantId, week: monday, note: 'Board' });
  const status = within(screen.getByRole('group', { name: 'Status of C-1' }));
  expect(status.getAllByRole<HTMLButtonElement>('button').every((button) => button.disabled)).toBe(true);
  expect(screen.getByLabelText<HTMLTextAreaElement>('Notes on C-1').readOnly).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: /^Evidence of C-1/ }));
  const panel = within(await screen.findByRole('dialog', { name: 'Evidence of C-1' }));
  await panel.findByRole('link', { name: 'Backup log' });
  expect(panel.queryByRole('button', { name: /Remove|Add/ })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Reopen' }));
  const reason = within(await screen.findByRole('dialog', { name: 'Reopen' }));
  fireEvent.change(reason.getByLabelText(/^Reason/), { target: { value: 'Wrong' } });
  fireEvent.click(reason.getByRole('button', { name: 'Reopen' }));
  await screen.findByRole('button', { name: 'Sign off' });
  expect(sent(calls)[1]?.body).toEqual({ reason: 'Wrong' });
});

it('shows half a year of weeks, and opens the week of a column', async () => {
  const week = weekBefore(mondayOf(new Date().toISOString()));
  const weeks = [{ week, counts: { Compliant: 1 }, isSigned: true }];
  const shown = vi.fn<(element: Element) => void>();
  Object.assign(Element.prototype, {
    scrollIntoView(this: Element) {
      shown(this);
    },
  });
  const { search } = await open({ [`GET /v1/controlsets(${setId})/Weeks`]: { controls: 2, weeks } });
  const strip = within(await screen.findByRole('group', { name: 'Statuses of the last 26 weeks' }));
  const stops = strip.getAllByRole('button').filter((button) => button.tabIndex === 0);
  expect(stops).toHaveLength(1);
  stops[0]?.focus();
  fireEvent.keyDown(stops[0] ?? document.body, { key: 'Home' });
  expect(document.activeElement).toBe(strip.getAllByRole('button')[0]);
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'ArrowRight' });
  expect(document.activeElement).toBe(strip.getAllByRole('button')[1]);
  const columns = strip.getAllByRole('button');
  expect(columns).toHaveLength(26);
  // The strip scrolls to the chosen week, which a narrow window would otherwise not show.
  expect(shown).toHaveBeenCalledWith(stops[0]);
  const signed = strip.getByRole('button', { name: /Compliant 1, Not set 1 · signed off$/ });
  expect([...signed.querySelectorAll('i')].map(({ className }) => className).toSorted()).toEqual(['Compliant', 'Notset']);
  fireEvent.click(signed);
  await waitFor(() => expect(search().get('week')).toBe(dayOf(week)));
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
});

it('shows the report of the week, prints it and saves it', async () => {
  const report = {
    set: 'Office checks',
    description: null,
    tenant: 'Northwind Energy',
    week: monday,
    controls: [
      {
        name: 'C-1',
        title: 'Title 1',
        description: null,
        status: 'Compliant',
        before: 'Poam',
        notes: 'Seen',
        modified: monday,
        modifiedBy: 'jonas@northwind.example',
        evidence: [evidence],
      },
    ],
  };
  const signOff = { signOffId, signedBy: 'jonas@northwind.example', signedOn: monday, note: 'Board', digest: 'e3b0c442' };
  const { calls } = await open({ [`GET /v1/controlsets(${setId})/Report`]: { report, signOff } });
  fireEvent.click(await screen.findByRole('link', { name: 'Report' }));
  await screen.findByText('Compliance report: Office checks');
  for (const text of ['e3b0c442', 'Board', 'Week before: POA&M', 'Link: Backup log']) screen.getByText(text);
  const reportQuery = calls.find((call) => call.path.endsWith('/Report'))?.query;
  expect([reportQuery?.get('tenantId'), reportQuery?.get('week')]).toEqual([tenantId, '2026-11-02']);
  let printed = '';
  vi.spyOn(window, 'print').mockImplementation(() => {
    printed = document.querySelector('.print-sheet')?.textContent ?? '';
    window.dispatchEvent(new Event('afterprint'));
  });
  fireEvent.click(screen.getByRole('button', { name: 'Print or save as PDF' }));
  expect(printed).toContain('Signed off by Jonas Feld');
  const saved = vi.fn<(file: Blob) => string>(() => 'blob:report');
  Object.assign(URL, { createObjectURL: saved, revokeObjectURL: () => undefined });
  fireEvent.click(screen.getByRole('button', { name: 'Download JSON' }));
  expect(JSON.parse((await saved.mock.calls[0]?.[0].text()) ?? '')).toEqual(report);
});

it('edits a control set and imports an OSCAL catalog, and says first what would change', async () => {
  const none = { isNew: false, described: false, created: [], updated: [], removed: [], kept: [], unchanged: 0 };
  const { calls, search } = await open({
    'POST /v1/controlsets/Import': ({ body }: ApiCall) => {
      const { document } = body as { document: { name: string; controls: { name: string; title: string }[] } };
      if (document.controls.some(({ title }) => title === ''))
        return refused(400, 'Wrong.', [{ target: 'controls.2.title', message: 'controls.2.title: Title is required.' }])();
      return { ...none, name: document.name, created: ['C-3'], unchanged: 2 };
    },
  });
  await screen.findByRole('table', { name: 'Controls' });
  fireEvent.click(await screen.findByRole('button', { name: 'Control sets' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Edit this control set' }));
  const panel = within(await screen.findByRole('dialog', { name: 'Control set Office checks' }));
  fireEvent.click(panel.getByRole('button', { name: 'Add a control' }));
  fireEvent.change(panel.getByLabelText('Name of control 3'), { target: { value: 'C-3' } });
  fireEvent.click(panel.getByRole('button', { name: 'Review changes' }));
  await panel.findByText('controls.2.title: Title is required.');
  fireEvent.change(panel.getByLabelText('Title of control 3'), { target: { value: 'Lights' } });
  fireEvent.click(panel.getByRole('button', { name: 'Move C-3 up' }));
  fireEvent.click(panel.getByRole('button', { name: 'Review changes' }));
  await panel.findByText('2 controls stay as they are');
  fireEvent.click(panel.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const names = (call: ApiCall | undefined) =>
    (call?.body as { document: { controls: { name: string }[] } } | undefined)?.document.controls.map(({ name }) => name);
  expect(sent(calls).map(({ body }) => (body as { dryRun: boolean }).dryRun)).toEqual([true, true, false]);
  expect(names(sent(calls)[2])).toEqual(['C-1', 'C-3', 'C-2']);

  const catalog = { uuid: setId, metadata: { title: 'Tiny catalog' }, controls: [{ id: 'ac-1', title: 'Policy' }] };
  const picker = document.querySelector<HTMLInputElement>('input[type=file]');
  if (!picker) throw new Error('There is no input for files.');
  fireEvent.change(picker, { target: { files: [new File([JSON.stringify({ catalog })], 'catalog.json')] } });
  const imported = within(await screen.findByRole('dialog', { name: 'Import Tiny catalog' }));
  await imported.findByText('This would change');
  expect(names(sent(calls)[3])).toEqual(['AC-1']);
  fireEvent.click(imported.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(search().get('set')).toBe(importedId));
});

it('counts evidence on the server, however much there is', async () => {
  const { calls } = await open({ 'GET /v1/controlEvidence': { value: [{ controlStatusId: statusId, n: 1_412 }] } });
  await screen.findByRole('button', { name: /^Evidence of C-1: 1,?412 pieces of evidence$/ });
  expect(calls.find(({ path }) => path === '/v1/controlEvidence')?.query.get('$apply')).toContain(
    'groupby((controlStatusId),aggregate($count as n))',
  );
});

it('offers the editor of sets to those who may edit compliance in all tenants alone', async () => {
  const { calls } = await open({
    'GET /v1/permissions': ({ query }: ApiCall) =>
      query.get('everywhere') === 'true' ? [] : ['CloudFit.CFS.Compliance:edit', 'CloudFit.CFS.Compliance:view'],
  });
  await screen.findByRole('table', { name: 'Controls' });
  await waitFor(() => expect(calls.some(({ path, query }) => path === '/v1/permissions' && query.has('everywhere'))).toBe(true));
  expect(screen.queryByRole('button', { name: 'Control sets' })).toBeNull();
});
