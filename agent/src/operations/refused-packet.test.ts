import { expect, it } from 'vitest';
import type { StoredPacket } from '../outbox/packet-outbox.ts';
import { refusalOf } from './refused-packet.ts';

const packet: StoredPacket = {
  messageId: 'm1',
  entityId: 'o1',
  timestamp: '2026-11-30T04:00:00.000Z',
  isCorrected: false,
  epoch: 'e1',
  elapsedMs: 5,
  message: { Value: 1, States: { RunStatus: 'Success' } },
  run: { operationRunId: 'r1', started: '2026-11-30T03:59:00.000Z' },
};
const now = new Date('2026-11-30T05:00:00.000Z');
const text = 'The server refused the packet of this run, so its values are not stored: Too large.';

it('says at the run and to rules that the values of a run are not stored, at the time of the run', () => {
  const refusal = refusalOf(packet, 'Too large.', now);
  expect(refusal?.report).toMatchObject({
    operationRunId: 'r1',
    deviceOperationId: 'o1',
    status: 'Refused',
    started: '2026-11-30T03:59:00.000Z',
    ended: now.toISOString(),
    message: text,
    completionToken: null,
  });
  // Without a run, so that a refusal of this packet ends there.
  expect(refusal?.packet).toEqual({
    entityId: 'o1',
    timestamp: '2026-11-30T04:00:00.000Z',
    isCorrected: false,
    epoch: 'e1',
    elapsedMs: 5,
    message: { States: { RunStatus: 'Refused' }, Diagnostics: { Message: text } },
  });
});

it('leaves a process that is kept alive running, and says nothing of a packet without a run', () => {
  const going = refusalOf({ ...packet, message: { States: { RunStatus: 'Running' } } }, 'Too large.', now);
  expect([going?.report.status, going?.report.ended, going?.packet.message.States]).toEqual(['Running', null, { RunStatus: 'Running' }]);
  const { run: _run, ...heartbeat } = packet;
  expect(refusalOf(heartbeat, 'Too large.', now)).toBeUndefined();
});
