/** The server's time on this machine, whose own clock may be wrong or be set: measured from the `Date` header of each answer. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** When something was measured, as it is stored until it is sent. */
export interface Stamp {
  timestamp: string;
  /** Whether `timestamp` is the server's time; otherwise it is this machine's, and `epoch` and `elapsedMs` say how long ago it was. */
  isCorrected?: boolean | undefined;
  /** The run of the clock that nobody can set, such as the start of the machine. */
  epoch?: string | undefined;
  elapsedMs?: number | undefined;
}

export interface Clock {
  /** The server's time, as soon as the difference between the clocks is known; until then this machine's time. */
  now(): Date;
  /** Whether the server has answered since the start. */
  isKnown(): boolean;
  /** The present time for something that is stored. */
  stamp(): Stamp;
  /**
   * The server's time of a stamp. A stamp of before the server's time was known is corrected by the time that has passed since, if it is
   * of the same epoch; otherwise it stays as it is, because the clock may have been another one.
   */
  timeOf(stamp: Stamp): string;
  /** Measures the difference by `date`, the `Date` header of an answer that has just arrived, `tookMs` after it was asked for. */
  noteAnswer(date: string | null, tookMs?: number): void;
}

/** The clocks of this machine. */
export interface TimeSource {
  /** The clock that people and NTP set. */
  wallMs(): number;
  /** Milliseconds since the start of `epoch`, sleep included; nobody sets it. */
  elapsedMs(): number;
  epoch: string;
}

/**
 * Identifies the start of the machine, and that of a container, in which the uptime may begin again. Other systems than Linux do not tell,
 * so there each process is an epoch.
 */
function epochOfSystem(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The 22nd field is the start of the process; the second one may contain spaces and brackets.
    const start = readFileSync('/proc/1/stat', 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '';
    return `${boot}.${start}`;
  } catch {
    return randomUUID();
  }
}

export function systemTime(): TimeSource {
  return { wallMs: Date.now, elapsedMs: () => Math.round(uptime() * 1_000), epoch: epochOfSystem() };
}

/** Milliseconds below which a difference counts as none: the header has whole seconds, and an answer takes time to arrive. */
const noticeableMs = 5_000;

/** `onChange` is called when the difference begins, ends or changes noticeably. */
export function createClock(onChange: (offsetMs: number) => void, source: TimeSource = systemTime()): Clock {
  let offsetMs = 0;
  let isKnown = false;
  /** Both clocks at the last answer. */
  let reference: { wallMs: number; elapsedMs: number } | undefined;

  /** The milliseconds by which the clock of this machine was set since the last answer. */
  function stepMs(): number {
    if (!reference) return 0;
    const step = source.wallMs() - reference.wallMs - (source.elapsedMs() - reference.elapsedMs);
    return Math.abs(step) < noticeableMs ? 0 : step;
  }

  const nowMs = (): number => source.wallMs() + offsetMs - stepMs();

  return {
    now: () => new Date(nowMs()),
    isKnown: () => isKnown,
    stamp: () => ({
      timestamp: new Date(nowMs()).toISOString(),
      isCorrected: isKnown,
      ...(isKnown ? {} : { epoch: source.epoch, elapsedMs: source.elapsedMs() }),
    }),
    timeOf({ timestamp, isCorrected, epoch, elapsedMs }) {
      if (isCorrected || !isKnown || epoch !== source.epoch || elapsedMs === undefined) return timestamp;
      const agoMs = source.elapsedMs() - elapsedMs;
      const timeMs = nowMs() - agoMs;
      return agoMs < 0 || Math.abs(timeMs - Date.parse(timestamp)) < noticeableMs ? timestamp : new Date(timeMs).toISOString();
    },
    noteAnswer(date, tookMs = 0) {
      isKnown = true;
      const server = date === null ? Number.NaN : Date.parse(date);
      if (Number.isNaN(server)) return;
      const wallMs = source.wallMs();
      reference = { wallMs, elapsedMs: source.elapsedMs() };
      const measured = server + 500 - wallMs;
      const next = Math.abs(measured) < noticeableMs ? 0 : measured;
      // Small changes are noise of the measurement. An answer that was slow, or read late on a busy machine, may be as old as its call.
      const change = next - offsetMs;
      if (change < noticeableMs && change > -noticeableMs - tookMs) return;
      offsetMs = next;
      onChange(offsetMs);
    },
  };
}
