/** Runs the operations of the configuration: by their interval, on demand, and as processes that are kept alive. */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { frequencyType } from '@cloudfit/contract/enums.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import type { Signal } from '../signal.ts';
import { healthyMs, nextBeat, restartDelayMs, shareOf } from './beat.ts';
import type { AgentOperation } from './prepare.ts';
import { run, type RunParts } from './run.ts';

export interface OperationsOptions extends RunParts {
  /** The current configuration; undefined until there is one. */
  configuration: () => AgentConfiguration | undefined;
  /**
   * Whether the server has confirmed the configuration since the agent started. A stored configuration may hold a request
   * that has expired.
   */
  isConfirmed: () => boolean;
  /** Notified when `configuration`, `isConfirmed` or `installed` has changed, and when a run has ended. */
  changed: Signal;
}

interface CurrentRun {
  runId: string;
  stop: AbortController;
  done: Promise<void>;
  packageVersionId?: string;
}

interface ScheduledOperation {
  operation: AgentOperation;
  /** The settings of the operation as text, to detect changes. A change stops only a program that is kept alive. */
  settings: string;
  going?: CurrentRun;
  /** The next beat; like `firstAt` and `restartAt` in milliseconds since the epoch. */
  beatAt: number;
  /** The time of the first run after the operation was enabled or changed; that run does not wait for the next beat. */
  firstAt?: number | undefined;
  skipped?: { runId: string; ofRunId: string; since: string; count: number };
  failures: number;
  restartAt: number;
}

/** The maximum number of concurrent runs of recurring operations; further runs wait for a free slot. */
const slots = Math.max(4, 2 * availableParallelism());
/** Milliseconds between first runs, so that enabling a package with many operations does not start all of them at once. */
const spreadMs = 250;
const firstRunWithinMs = 1_000;
const idleMs = 30_000;
/** The maximum milliseconds that a run waits for a package that is being installed. */
const installingMs = 600_000;

const removedReason = 'The operation was disabled or deleted.';
const settingsReason = 'The settings of the operation were changed.';
const packageReason = 'The package has another version now.';
const stoppedReason = 'The agent was stopped.';

function settingsOf({ label: _label, completionToken: _token, ...rest }: AgentOperation): string {
  return JSON.stringify(rest);
}

/** Runs the operations until `signal` aborts; resolves when the last run has ended. */
export async function runOperations(options: OperationsOptions, signal: AbortSignal): Promise<void> {
  const { configuration, isConfirmed, changed, installed, journal } = options;
  const entries = new Map<string, ScheduledOperation>();
  const going = new Set<Promise<void>>();
  /** Runs that are being stopped because their operation was disabled or deleted, by operation id. */
  const stopping = new Map<string, CurrentRun>();
  const missingSince = new Map<string, number>();
  /**
   * True at the start of an agent with a stored configuration: its operations keep their beats after a restart. On a new
   * machine, operations run at once.
   */
  let isFirst = configuration() !== undefined;

  const countOfBeats = (): number =>
    [...entries.values()].filter((entry) => entry.going && entry.operation.frequencyTypeId === frequencyType.recurring).length;

  function begin(entry: ScheduledOperation, completionToken: string | null): void {
    const id = entry.operation.deviceOperationId;
    const runId = completionToken ?? randomUUID();
    const stop = new AbortController();
    const startedAt = Date.now();
    const done = run(
      options,
      {
        runId,
        operation: entry.operation,
        completionToken,
        onPrepared: (prepared) => (current.packageVersionId = prepared.packageVersionId),
      },
      stop.signal,
    )
      .catch((error: unknown) => options.log('error', `The run could not be reported: ${messageOf(error)}`, id))
      .then(() => {
        going.delete(done);
        if (stopping.get(id) === current) stopping.delete(id);
        const now = entries.get(id);
        if (now?.going === current) {
          delete now.going;
          // A process that was stopped has not failed: if it is still configured, it starts again at once.
          now.failures = stop.signal.aborted || Date.now() - startedAt > healthyMs ? 0 : now.failures + 1;
          now.restartAt = now.failures === 0 ? 0 : Date.now() + restartDelayMs(now.failures);
        }
        changed.notify();
      });
    const current: CurrentRun = { runId, stop, done };
    entry.going = current;
    going.add(done);
  }

  /** Whether an operation waits because its package is being installed; it waits for `installingMs` at most. */
  function waitsForPackage({ packageId }: AgentOperation, now: number): boolean {
    const isWanted = configuration()?.packages.some((candidate) => candidate.packageId === packageId && candidate.wanted !== null) ?? false;
    if (!isWanted || installed.find(packageId)) {
      missingSince.delete(packageId);
      return false;
    }
    const since = missingSince.get(packageId) ?? now;
    missingSince.set(packageId, since);
    return now - since < installingMs;
  }

  function skip(entry: ScheduledOperation, ofRunId: string): void {
    const now = options.now().toISOString();
    const before = entry.skipped?.ofRunId === ofRunId ? entry.skipped : { runId: randomUUID(), ofRunId, since: now, count: 0 };
    entry.skipped = { ...before, count: before.count + 1 };
    const { runId, since, count } = entry.skipped;
    const times = count === 1 ? '' : ` This is the case for ${count} runs.`;
    // Updates one row of the history for each run that takes too long, however many runs are skipped.
    options.report(
      {
        operationRunId: runId,
        deviceOperationId: entry.operation.deviceOperationId,
        completionToken: null,
        status: 'Skipped',
        started: since,
        ended: now,
        durationMs: 0,
        exitCode: null,
        value: null,
        message: `Skipped, because the run before it was still going.${times}`,
        progress: null,
        output: null,
      },
      false,
    );
  }

  let followed: AgentConfiguration | undefined;

  /** Adds, changes and removes `entries` so that they match the configuration. */
  function follow(now: number): void {
    const current = configuration();
    // Called at each start and end of a run: comparing hundreds of operations each time would cost more than the run.
    if (current !== undefined && current === followed) return;
    followed = current;
    const enabledOperations = current?.enabled ? current.operations : [];
    const ids = new Set(enabledOperations.map((operation) => operation.deviceOperationId));
    for (const [id, entry] of entries) {
      if (ids.has(id)) continue;
      if (entry.going) stopping.set(id, entry.going);
      entry.going?.stop.abort(removedReason);
      entries.delete(id);
    }
    let fresh = 0;
    for (const operation of enabledOperations) {
      const id = operation.deviceOperationId;
      const settings = settingsOf(operation);
      const entry = entries.get(id);
      if (entry?.settings === settings) {
        entry.operation = operation;
        continue;
      }
      const firstAt = now + shareOf(id, firstRunWithinMs) + spreadMs * fresh++;
      const beatAt = nextBeat(id, Math.max(operation.intervalSeconds, 1) * 1_000, now);
      if (!entry) {
        // Set if the operation was enabled again while its last run is still being stopped.
        const last = stopping.get(id);
        entries.set(id, {
          operation,
          settings,
          beatAt,
          failures: 0,
          restartAt: 0,
          ...(isFirst ? {} : { firstAt }),
          ...(last && { going: last }),
        });
        continue;
      }
      if (
        operation.frequencyTypeId === frequencyType.oneTimeKeepAlive ||
        entry.operation.frequencyTypeId === frequencyType.oneTimeKeepAlive
      )
        entry.going?.stop.abort(settingsReason);
      Object.assign(entry, { operation, settings, beatAt, firstAt, failures: 0, restartAt: 0 });
    }
    if (current) isFirst = false;
  }

  /** Starts the operation if it is due; returns when to check it again. */
  function startDue(entry: ScheduledOperation, now: number): number {
    const { operation } = entry;
    const id = operation.deviceOperationId;
    if (operation.frequencyTypeId === frequencyType.onDemand) {
      const token = operation.completionToken;
      if (token === null || entry.going || !isConfirmed() || journal.lastToken(id) === token) return now + idleMs;
      if (waitsForPackage(operation, now)) return now + 1_000;
      begin(entry, token);
      return now + idleMs;
    }
    if (operation.frequencyTypeId === frequencyType.oneTimeKeepAlive) {
      if (entry.going) {
        const { packageVersionId } = entry.going;
        if (packageVersionId !== undefined && installed.find(operation.packageId)?.packageVersionId !== packageVersionId)
          entry.going.stop.abort(packageReason);
        return now + idleMs;
      }
      if (now < entry.restartAt) return entry.restartAt;
      if (waitsForPackage(operation, now)) return now + 1_000;
      begin(entry, null);
      return now + idleMs;
    }
    const intervalMs = Math.max(operation.intervalSeconds, 1) * 1_000;
    // After the clock was set back, the stored beat would be too far in the future.
    if (entry.beatAt - now > intervalMs) entry.beatAt = nextBeat(id, intervalMs, now);
    const dueAt = Math.min(entry.beatAt, entry.firstAt ?? Infinity);
    if (now < dueAt) return dueAt;
    if (!entry.going && countOfBeats() >= slots) return now + 100;
    // A first run shortly before a beat replaces the run of that beat.
    if (now >= entry.beatAt || entry.beatAt - now < intervalMs / 4) entry.beatAt = nextBeat(id, intervalMs, Math.max(now, entry.beatAt));
    entry.firstAt = undefined;
    if (waitsForPackage(operation, now)) {
      entry.firstAt = now + 1_000;
      return entry.firstAt;
    }
    if (entry.going) skip(entry, entry.going.runId);
    else begin(entry, null);
    return entry.beatAt;
  }

  while (!signal.aborted) {
    const now = Date.now();
    follow(now);
    let lookAt = now + idleMs;
    for (const entry of entries.values()) lookAt = Math.min(lookAt, startDue(entry, now));
    await changed.wait(Math.max(lookAt - Date.now(), 1), signal);
  }
  for (const entry of entries.values()) entry.going?.stop.abort(stoppedReason);
  await Promise.all(going);
}
