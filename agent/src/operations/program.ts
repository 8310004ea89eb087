/** Runs one program with limits of time and stored output, and ends it with all processes that it started. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { callAfter } from '../wait.ts';
import { allProcesses, isTreeAlive, killLeftovers, openMark, signalTree } from './process-tree.ts';

export const outputBytesMax = 1_048_576;
const errorBytesMax = 65_536;
const lineMax = 65_536;
/** The bytes of the end of an output that are kept besides its first ones. */
const tailBytes = 65_536;
/** Milliseconds between SIGTERM and SIGKILL, in which a program can end by itself. */
const graceMs = 3_000;
/** Milliseconds after a program's end until processes that it left, which may hold its output open, are killed. */
const leftoverMs = 500;
const pollMs = 50;

export interface ProgramOptions {
  runId: string;
  command: readonly string[];
  env: NodeJS.ProcessEnv;
  folder: string;
  /** The time after which the program is stopped; undefined: it runs until it ends or is stopped. */
  timeLimitMs: number | undefined;
  /** Whether processes that the program leaves go on when it ends by itself. */
  keepsRunning: boolean;
  /** Called with each line of output as it comes; with a time limit, only for output within the part that is kept. */
  onLine: (line: string, from: 'stdout' | 'stderr') => void;
}

export interface ProgramEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Why the program could not be started. */
  failure: string | undefined;
  isTimedOut: boolean;
  isStopped: boolean;
  stdout: string;
  /** The end of an output that is longer than what is kept of it; empty for a shorter one. */
  tail: string;
  stderr: string;
  /** Bytes of output that were read and not kept. */
  droppedBytes: number;
}

interface CapturedStream {
  text(): string;
  tail(): string;
  dropped(): number;
}

/**
 * Keeps the first `bytes` of a stream, and the last ones; reads and discards the rest, because a program whose output nobody reads
 * would block.
 * Without a time limit (`isBounded` is false), keeps the last bytes and passes all lines to `onLine`.
 */
function keep(stream: NodeJS.ReadableStream, bytes: number, isBounded: boolean, onLine: (line: string) => void): CapturedStream {
  const decoder = new StringDecoder('utf8');
  let parts: Buffer[] = [];
  let keptBytes = 0;
  let dropped = 0;
  let line = '';
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const room = isBounded ? bytes - keptBytes : chunk.length;
    const part = chunk.length > room ? chunk.subarray(0, Math.max(room, 0)) : chunk;
    dropped += chunk.length - part.length;
    if (part.length < chunk.length) tail = Buffer.concat([tail, chunk.subarray(part.length)]).subarray(-tailBytes);
    if (part.length === 0) return;
    parts.push(part);
    keptBytes += part.length;
    if (!isBounded && keptBytes > 2 * bytes) {
      const whole = Buffer.concat(parts);
      dropped += whole.length - bytes;
      parts = [whole.subarray(whole.length - bytes)];
      keptBytes = bytes;
    }
    const lines = (line + decoder.write(part)).split('\n');
    line = (lines.pop() ?? '').slice(0, lineMax);
    for (const one of lines) onLine(one);
  });
  stream.on('end', () => {
    if (line !== '') onLine(line);
  });
  return { text: () => Buffer.concat(parts).toString('utf8'), tail: () => tail.toString('utf8'), dropped: () => dropped };
}

/** Runs the program to its end, or until `signal` aborts. Never rejects. */
export function runProgram(options: ProgramOptions, signal: AbortSignal): Promise<ProgramEnd> {
  const { runId, command, env, folder, timeLimitMs, keepsRunning, onLine } = options;
  const isBounded = timeLimitMs !== undefined;
  const [file = '', ...args] = command;
  return new Promise((resolve) => {
    let isTimedOut = false;
    let force: NodeJS.Timeout | undefined;
    let isForced = false;
    let endLimit: (() => void) | undefined;
    let leftover: NodeJS.Timeout | undefined;
    const noOutput = { text: () => '', tail: () => '', dropped: () => 0 };
    let out: CapturedStream = noOutput;
    let err: CapturedStream = noOutput;

    function finish(end: Pick<ProgramEnd, 'exitCode' | 'signal' | 'failure'>): void {
      endLimit?.();
      clearTimeout(leftover);
      signal.removeEventListener('abort', stop);
      resolve({
        ...end,
        isTimedOut,
        isStopped: signal.aborted,
        stdout: out.text(),
        tail: out.tail(),
        stderr: err.text(),
        droppedBytes: out.dropped() + err.dropped(),
      });
    }

    // A process that is kept alive may outlive so many others that their ids are used again.
    const before = new Set(isBounded ? allProcesses() : []);
    const mark = openMark(runId);
    const start = () =>
      spawn(file, args, {
        cwd: folder,
        env,
        // A separate process group, so that the children of the program can be ended with it.
        detached: process.platform !== 'win32',
        stdio: ['ignore', 'pipe', 'pipe', mark ?? 'ignore'],
        windowsHide: true,
      }) as ChildProcessByStdio<null, Readable, Readable>;
    let child: ReturnType<typeof start>;

    function stop(): void {
      signalTree(child.pid, runId, 'SIGTERM');
      force ??= setTimeout(() => {
        signalTree(child.pid, runId, 'SIGKILL');
        isForced = true;
      }, graceMs);
    }

    try {
      child = start();
    } catch (error) {
      return finish({ exitCode: null, signal: null, failure: messageOf(error) });
    } finally {
      if (mark !== undefined) closeSync(mark);
    }
    out = keep(child.stdout, outputBytesMax, isBounded, (line) => onLine(line, 'stdout'));
    err = keep(child.stderr, errorBytesMax, isBounded, (line) => onLine(line, 'stderr'));
    signal.addEventListener('abort', stop);
    if (isBounded)
      endLimit = callAfter(timeLimitMs, () => {
        isTimedOut = true;
        stop();
      });
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      clearTimeout(force);
      finish({ exitCode: null, signal: null, failure: error.code === 'ENOENT' ? `${file} was not found on this machine.` : error.message });
    });
    child.once('exit', () => {
      // Processes that the program left are killed; those of a stopped program get the rest of the grace period.
      const { pid } = child;
      leftover = setTimeout(() => {
        if (force === undefined && pid !== undefined && !keepsRunning) killLeftovers(pid, runId, before);
        leftover = setTimeout(() => {
          child.stdout.destroy();
          child.stderr.destroy();
        }, graceMs);
      }, leftoverMs);
    });
    child.once('close', (exitCode, exitSignal) => {
      const end = () => finish({ exitCode, signal: exitSignal, failure: undefined });
      if (child.pid === undefined) return end();
      if (force === undefined) {
        if (!keepsRunning) killLeftovers(child.pid, runId, before);
        return end();
      }
      // The run is over when all processes of its tree have ended or were killed.
      const whenOver = () => {
        if (isForced || !isTreeAlive(child.pid, runId)) {
          clearTimeout(force);
          end();
        } else setTimeout(whenOver, pollMs);
      };
      whenOver();
    });
  });
}
