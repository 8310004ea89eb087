import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId } from '../../../testing/render-app.tsx';
import { answersFor, incident, loadPanel } from './panel.fixtures.ts';

beforeAll(loadPanel);
beforeEach(() => localStorage.clear());

const ruleId = '0197f000-0000-7000-8000-0000000000aa';
const match = {
  ruleMatchId: 'm',
  tenantId,
  workUnitId: 7,
  ruleId,
  label: 'Disk full: srv-1',
  state: 'Open',
  lastMatch: '',
  opensAgainAt: null as string | null,
  rule: { name: 'Disk full', enabled: true, whileMatching: 'Reopen', reopenAfter: '00:05:00' },
};
const open = (unit: object, matches: readonly object[]) =>
  renderApp(
    '/workunitsv2?workUnitId=7',
    answersFor(
      { ...incident, ruleId, ...unit },
      // Two and a half minutes before the read, however long the test takes until then.
      { 'GET /v1/unitMatches': () => list(matches.map((row) => ({ ...row, lastMatch: new Date(Date.now() - 150_000).toISOString() }))) },
    ),
  );
const choose = async (state: string) => fireEvent.change(await screen.findByLabelText('State'), { target: { value: state } });
const notice = () => screen.findByText(/^(The fault still holds|Still matching):$/).then((bold) => bold.parentElement?.textContent);

it('warns before a unit is ended whose match is open, and says when it opens again', async () => {
  const { calls } = await open({}, [match, { ...match, ruleMatchId: 'n' }]);
  await screen.findByLabelText('State');
  expect(screen.queryByText('The fault still holds:')).toBeNull();
  await choose('Resolved');
  expect(await notice()).toBe(
    'The fault still holds: the rule Disk full matched 2 min ago, and 1 other match is open. The work unit opens again after 5 min if it goes on.',
  );
  expect(calls.find((call) => call.path === '/v1/unitMatches')?.query.get('$filter')).toBe("workUnitId eq 7 and state eq 'Open'");
  await choose('InProgress');
  await waitFor(() => expect(screen.queryByText('The fault still holds:')).toBeNull());
});

it.each([
  [{ whileMatching: 'New', reopenAfter: '01:30:00' }, 'Another work unit opens after 1 h 30 min if it goes on.'],
  [{ reopenAfter: '00:00:00' }, 'The work unit opens again at the next hit.'],
  [{ whileMatching: 'Silent' }, 'Nothing tells of it until the match ends.'],
  [{ enabled: false }, 'Nothing tells of it until the match ends.'],
])('says what the rule does: %j', async (rule, sentence) => {
  await open({}, [{ ...match, rule: { ...match.rule, ...rule } }]);
  await choose('Canceled');
  expect(await notice()).toContain(sentence);
});

it('says of an ended unit when it opens again, and nothing when no match is open', async () => {
  const inFour = new Date(Date.now() + 240_000);
  await open({ stateId: 'Resolved' }, [{ ...match, opensAgainAt: inFour.toISOString() }]);
  expect(await notice()).toContain(`Opens again at ${inFour.toTimeString().slice(0, 8)} if it still matches.`);
});

it('says that an ended unit opens at the next hit when its time is over', async () => {
  await open({ stateId: 'Closed' }, [{ ...match, opensAgainAt: new Date(Date.now() - 1_000).toISOString() }]);
  expect(await notice()).toContain('Opens again at the next hit.');
});

it('says nothing of a unit whose matches have ended', async () => {
  const { calls } = await open({}, []);
  await choose('Resolved');
  await waitFor(() => expect(calls.some((call) => call.path === '/v1/unitMatches')).toBe(true));
  expect(screen.queryByText('The fault still holds:')).toBeNull();
});
