/** What a run becomes when the packet with its result cannot be stored: the run says so, and rules see its status. */
import type { AgentRun } from '@cloudfit/contract/agent/runs.ts';
import type { StoredPacket } from '../outbox/packet-outbox.ts';

interface RunRefusal {
  report: AgentRun;
  /** Takes the place of the refused packet, at its time. Without a run, so that its own refusal ends here. */
  packet: Omit<StoredPacket, 'messageId'>;
}

/** Returns undefined for a packet that is not the result of a run. */
export function refusalOf({ run, entityId, message, ...stamp }: StoredPacket, reason: string, now: Date): RunRefusal | undefined {
  if (!run) return undefined;
  const text = `The server refused the packet of this run, so its values are not stored: ${reason}`;
  // A process that is kept alive goes on.
  const status = message.States?.['RunStatus'] === 'Running' ? 'Running' : 'Refused';
  const { messageId: _messageId, ...time } = stamp;
  return {
    report: {
      ...run,
      deviceOperationId: entityId,
      completionToken: null,
      status,
      ended: status === 'Running' ? null : now.toISOString(),
      durationMs: null,
      exitCode: null,
      value: null,
      message: text,
      progress: null,
      output: null,
    },
    packet: { ...time, entityId, message: { States: { RunStatus: status }, Diagnostics: { Message: text } } },
  };
}
