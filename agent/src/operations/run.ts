/** One run of an operation, from its request or beat to its report and packet. */
import { frequencyType } from '@cloudfit/contract/enums.ts';
import type { AgentRun } from '@cloudfit/contract/agent/runs.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { secondsOf } from '@cloudfit/contract/protocols/timeline.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { Level } from '../log.ts';
import type { Journal } from './journal.ts';
import { readInflux } from './output/influx.ts';
import { mergeReadings, readJsonLine } from './output/json.ts';
import { OutputError, type OutputReading } from './output/reading.ts';
import { outcomeOf, packetOf, type RunOutcome } from './outcome.ts';
import { RunError } from './parameters.ts';
import { prepare, type AgentOperation, type PreparedProgram, type PrepareParts } from './prepare.ts';
import { runProgram } from './program.ts';
import { placeInSession } from './session.ts';

export interface RunParts extends PrepareParts {
  now: () => Date;
  journal: Journal;
  itemFolderOf: (deviceOperationId: string) => string;
  /** Takes what the listener of an operation has heard. */
  takeItems: (deviceOperationId: string, isOver?: boolean) => void;
  addPacket: (run: AgentRun, message: PacketMessage, isUrgent: boolean) => void;
  report: (run: AgentRun, isUrgent: boolean) => void;
  log: (level: Level, text: string, deviceOperationId: string) => void;
}

export interface RunRequest {
  runId: string;
  operation: AgentOperation;
  /** Set for a run that somebody requested. */
  completionToken: string | null;
  /** Called when the program is about to start. */
  onPrepared: (prepared: PreparedProgram) => void;
}

/** The maximum number of lines of a run in the log of the operation; the history of runs has more of the output. */
const loggedLinesMax = 200;
/** Milliseconds after which a run by interval is reported as Running; a shorter one is only reported at its end. */
const reportAfterMs = 2_000;
const progressEveryMs = 1_000;

/**
 * Throttles `tell` to one call per `everyMs`; items that arrive in between are merged for the next call. `end(true)` passes the
 * last items on, `end(false)` discards them.
 */
function throttled<T>(everyMs: number, tell: (item: T) => void, merge: (one: T, other: T) => T) {
  let waiting: T | undefined;
  let timer: NodeJS.Timeout | undefined;
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === undefined) return;
    const item = waiting;
    waiting = undefined;
    timer = setTimeout(flush, everyMs);
    tell(item);
  }
  return {
    add: (item: T) => {
      waiting = waiting === undefined ? item : merge(waiting, item);
      if (timer === undefined) flush();
    },
    end: (isTold: boolean) => {
      if (!isTold) waiting = undefined;
      flush();
      clearTimeout(timer);
    },
  };
}

/** Runs an operation once, and reports the run also if it fails. `signal` stops the program; its `reason` is reported. */
export async function run(parts: RunParts, request: RunRequest, signal: AbortSignal): Promise<AgentRun['status']> {
  const { operation, runId, completionToken } = request;
  const { deviceOperationId, frequencyTypeId } = operation;
  const isKeptAlive = frequencyTypeId === frequencyType.oneTimeKeepAlive;
  const isWatched = completionToken !== null || isKeptAlive;
  const startedAt = performance.now();
  const running: AgentRun = {
    operationRunId: runId,
    deviceOperationId,
    completionToken,
    status: 'Running',
    started: parts.now().toISOString(),
    ended: null,
    durationMs: null,
    exitCode: null,
    value: null,
    message: null,
    progress: null,
    output: null,
  };
  const say = (level: Level, text: string) => parts.log(level, text, deviceOperationId);
  const level: Level = isWatched ? 'info' : 'trace';
  parts.journal.started(running);
  say(level, 'The run has started.');
  let state = running;
  const report = () => parts.report(state, true);
  if (isWatched) report();
  const late = setTimeout(report, reportAfterMs);

  const progress = throttled<OutputReading>(
    progressEveryMs,
    (reading) => {
      state = { ...state, progress: reading.progress ?? state.progress, message: reading.message ?? state.message };
      report();
    },
    (one, other) => ({ ...one, ...other }),
  );
  // A kept-alive process reports while it runs: its lines become packets, at most one per 100 ms.
  const packets = throttled<OutputReading>(
    100,
    (reading) => parts.addPacket(running, packetOf('Running', reading.message ?? null, reading), false),
    mergeReadings,
  );

  let loggedLines = 0;
  function logLine(line: string): void {
    if (line.trim() === '' || loggedLines > loggedLinesMax) return;
    loggedLines++;
    say('info', loggedLines > loggedLinesMax ? 'Further lines of this run are in its output only.' : line.trimEnd());
  }

  function onLine({ operation: declared, mask }: PreparedProgram, text: string, from: 'stdout' | 'stderr'): void {
    const line = mask(text);
    if (line === undefined) return;
    let reading: OutputReading | undefined;
    if (from === 'stdout' && (declared.output === 'json' || (isKeptAlive && declared.output === 'influx'))) {
      try {
        reading = declared.output === 'json' ? readJsonLine(line) : readInflux(line);
      } catch (error) {
        if (!(error instanceof OutputError)) throw error;
        // For other runs, the same error occurs at the end of the run and is its outcome.
        if (isKeptAlive) say('warn', error.message);
        return;
      }
    }
    if (!reading) {
      if (from === 'stderr' || (isWatched && ['text', 'json'].includes(declared.output))) logLine(line);
      return;
    }
    if (reading.hasItems) parts.takeItems(deviceOperationId);
    if (reading.message !== undefined && isWatched) logLine(reading.message);
    if (reading.progress !== undefined || (isKeptAlive && reading.message !== undefined)) progress.add(reading);
    if (isKeptAlive && (reading.value !== undefined || reading.metrics || reading.states || reading.diagnostics)) packets.add(reading);
  }

  async function start(): Promise<RunOutcome> {
    const prepared = await prepare(
      parts,
      operation,
      {
        runId,
        lastRunId: parts.journal.lastStored(deviceOperationId),
        runFolder: parts.journal.folderOf(runId),
        ...(isKeptAlive ? { itemFolder: parts.itemFolderOf(deviceOperationId) } : {}),
      },
      signal,
    );
    const placed = operation.isInteractive ? await placeInSession(prepared) : prepared;
    request.onPrepared(prepared);
    try {
      const end = await runProgram(
        {
          runId,
          command: placed.command,
          env: placed.env,
          folder: placed.folder,
          timeLimitMs: isKeptAlive ? undefined : secondsOf(prepared.operation.timeLimit) * 1_000,
          keepsRunning: prepared.operation.keepRunning,
          onLine: (line, from) => onLine(prepared, line, from),
        },
        signal,
      );
      return outcomeOf(end, prepared, String(signal.reason), isKeptAlive);
    } finally {
      if ('remove' in placed) await placed.remove().catch(() => undefined);
    }
  }

  const outcome = await start().catch((error: unknown): RunOutcome => {
    const message = error instanceof RunError ? error.message : `The run failed in the agent: ${messageOf(error)}`;
    if (signal.aborted) return { status: 'Interrupted', message: String(signal.reason), exitCode: null, reading: {}, output: null };
    return { status: 'Failed', message, exitCode: null, reading: {}, output: null };
  });
  clearTimeout(late);
  if (isKeptAlive) parts.takeItems(deviceOperationId, true);
  progress.end(false);
  packets.end(true);
  const durationMs = Math.round(performance.now() - startedAt);
  const { status, message, exitCode, reading, output } = outcome;
  // An interrupted run has no result, so no packet.
  if (status !== 'Interrupted') parts.addPacket(running, packetOf(status, message, reading, durationMs), isWatched);
  if (Object.keys(reading).length > 0) parts.journal.stored(deviceOperationId, runId);
  const value = reading.value === undefined || reading.value === null ? null : String(reading.value);
  parts.report(
    { ...state, status, message, exitCode, value, output, durationMs, ended: parts.now().toISOString() },
    isWatched || state !== running || durationMs > reportAfterMs,
  );
  parts.journal.ended(runId);
  const isFine = status === 'Success';
  say(isFine ? level : 'warn', `The run has ended: ${status}${message === null ? '' : `. ${message}`}`);
  return status;
}
