/** How the end of a program determines its run and its packet. */
import type { AgentRun } from '@cloudfit/contract/agent/runs.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { operationResultType } from '@cloudfit/contract/enums.ts';
import { OutputError, type OutputReading } from './output/reading.ts';
import { readOutput } from './output/read-output.ts';
import type { PreparedProgram } from './prepare.ts';
import type { ProgramEnd } from './program.ts';
import { storable } from '../storable.ts';

export interface RunOutcome {
  status: AgentRun['status'];
  message: string | null;
  exitCode: number | null;
  reading: OutputReading;
  output: string | null;
}

const hidden = 'The output holds a secret of the tenant in a form that cannot be masked, and is not kept.';

/** Returns the masked output for the run's report: stdout, then stderr; null without output. */
function outputOf({ stdout, tail, stderr, droppedBytes }: ProgramEnd, mask: PreparedProgram['mask']): string | null {
  const parts = [stdout.trimEnd(), stderr.trimEnd() && `[stderr]\n${stderr.trimEnd()}`].filter(Boolean);
  const cut = droppedBytes > 0 ? `[truncated: ${droppedBytes} more bytes were written and not kept]` : '';
  const end = tail.slice(tail.indexOf('\n') + 1 || tail.length).trimEnd();
  const text = [...parts, cut, end].filter(Boolean).join('\n');
  return text === '' ? null : (mask(text) ?? hidden);
}

/**
 * Returns the output as it is read: the whole lines of its beginning and its end, if it was too long. A line that was cut would be read
 * as another value.
 */
function readable({ stdout, tail }: ProgramEnd): string {
  if (tail === '') return stdout;
  const lines = stdout.slice(0, stdout.lastIndexOf('\n') + 1) + tail.slice(tail.indexOf('\n') + 1 || tail.length);
  return lines.trim() === '' ? stdout : lines;
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)?.trim() ?? '';

/** Returns the outcome of a run. `isRead`: the lines were read as they came, because the process is kept alive. */
export function outcomeOf(end: ProgramEnd, { operation, mask }: PreparedProgram, stopReason: string, isRead = false): RunOutcome {
  const { exitCode } = end;
  const of = (status: RunOutcome['status'], message: string | null, reading: OutputReading = {}): RunOutcome => ({
    status,
    message,
    exitCode,
    reading,
    output: outputOf(end, mask),
  });
  if (end.failure !== undefined) return of('Failed', `The program could not be started: ${end.failure}`);
  if (end.isTimedOut) return of('TimedOut', `The program did not end within ${operation.timeLimit} and was stopped.`);
  if (end.isStopped) return of('Interrupted', stopReason);
  if (exitCode === null) return of('Failed', `The program was ended by ${end.signal}.`);
  if (isRead && exitCode === 0) return of('Success', 'The process has ended.');
  const masked = isRead ? '' : mask(readable(end));
  if (masked === undefined) return of('Failed', hidden);
  const text = storable(masked);
  try {
    const reading = readOutput(operation.output, text, exitCode, operation.result === operationResultType.numeric);
    const truncated = end.droppedBytes > 0 ? 'The output is longer than 1 MiB and was truncated.' : undefined;
    if (reading.status) return of(reading.status, reading.message ?? null, reading);
    if (exitCode === 0) return of('Success', reading.message ?? truncated ?? null, reading);
    const reason = reading.message ?? (lastLine(mask(end.stderr) ?? '') || lastLine(text));
    return of('Failed', `Exit code ${exitCode}${reason === '' ? '.' : `: ${reason}`}`, reading);
  } catch (error) {
    if (!(error instanceof OutputError)) throw error;
    const cause = exitCode !== 0 || !end.stderr ? '' : ` ${lastLine(mask(end.stderr) ?? '')}`;
    return of('Failed', `${error.message}${cause}`);
  }
}

/** Returns the packet of the device operation. `RunStatus` lets rules see that a run has failed. */
export function packetOf(status: AgentRun['status'], message: string | null, reading: OutputReading, durationMs?: number): PacketMessage {
  const diagnostics = { ...reading.diagnostics, ...(message === null ? {} : { Message: message }) };
  return {
    ...(reading.value === undefined ? {} : { Value: reading.value }),
    Metrics: { ...reading.metrics, ...(durationMs === undefined ? {} : { RunSeconds: durationMs / 1_000 }) },
    States: { ...reading.states, RunStatus: status },
    ...(Object.keys(diagnostics).length === 0 ? {} : { Diagnostics: diagnostics as NonNullable<PacketMessage['Diagnostics']> }),
  };
}
