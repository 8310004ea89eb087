import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import '../../../app/home-route.tsx';
import { queryClient } from '../../../api/query-client.ts';
import { list, renderApp, tenantId } from '../../../testing/render-app.tsx';
import { incident } from '../panel/panel.fixtures.ts';

let played: number[] = [];
let isPermitted = true;

const nothing = () => undefined;

class FakeAudio {
  currentTime = 0;
  destination = {};
  get state() {
    return isPermitted ? 'running' : 'suspended';
  }
  resume = () => new Promise(() => undefined);
  createOscillator() {
    const frequency = {
      set value(pitch: number) {
        played.push(pitch);
      },
    };
    return { frequency, connect: (to: unknown) => to, start: nothing, stop: nothing };
  }
  createGain = () => ({ gain: { setValueAtTime: nothing, exponentialRampToValueAtTime: nothing }, connect: nothing });
}

beforeEach(() => {
  localStorage.clear();
  played = [];
  isPermitted = true;
  vi.stubGlobal('AudioContext', FakeAudio);
});
afterEach(() => vi.unstubAllGlobals());

const entry = (id: number, severityId: string) => ({
  tenantId,
  tenantName: 'Northwind Energy',
  unit: { ...incident, workUnitId: id, publicWorkUnitId: id, title: `Unit ${id}`, severityId },
  communication: null,
  reasons: [{ kind: 'New', due: null, since: '2026-11-21T08:00:00Z', detail: null, id: null }],
});

async function open() {
  let value = [entry(1, 'Sev0')];
  await renderApp(`/${tenantId}`, {
    'GET /v1/workUnits': list([]),
    'GET /v1/workunits/doNow': () => ({ value, total: value.length, isCut: false }),
    doNow: undefined,
  } as never);
  await screen.findByText('#1 Unit 1');
  return async (...next: ReturnType<typeof entry>[]) => {
    value = next;
    await queryClient.invalidateQueries({ queryKey: [workUnits.name] });
    await waitFor(() => expect(screen.getAllByText(/^#\d+ Unit/)).toHaveLength(next.length));
  };
}

async function turnOn() {
  const card = within(await screen.findByRole('region', { name: 'Do now' }));
  fireEvent.click(card.getByRole('button', { name: 'Sound of new entries: off' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Turn on the sound of new entries in this browser' }));
  await card.findByRole('button', { name: 'Sound of new entries: on' });
}

it('is off until the person turns it on, then plays for the most severe entry that is new, once', async () => {
  const answer = await open();
  await answer(entry(1, 'Sev0'), entry(2, 'Sev3'));
  expect(played).toEqual([]);
  await turnOn();
  await waitFor(() => expect(played).toEqual([659, 784]));
  played = [];
  await answer(entry(1, 'Sev0'), entry(2, 'Sev3'), entry(3, 'Sev4'), entry(4, 'Sev1'));
  await waitFor(() => expect(played).toEqual([880, 698, 880]));
  played = [];
  await answer(entry(1, 'Sev0'));
  await answer(entry(1, 'Sev0'), entry(2, 'Sev3'));
  expect(played).toEqual([]);
});

it('says what to do when the browser permits no sound yet', async () => {
  const answer = await open();
  await turnOn();
  isPermitted = false;
  played = [];
  await answer(entry(1, 'Sev0'), entry(5, 'Sev0'));
  expect((await screen.findByText(/^This browser plays no sound yet\./)).getAttribute('role')).toBe('status');
  expect(played).toEqual([]);
});
