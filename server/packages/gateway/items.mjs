/**
 * Hands items over to the agent: each is written to a file of the agent's folder before its sender gets an answer, so it survives a kill
 * of this process and of the agent. The agent is told by a line of the output, and removes files that it has read.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { report } from './operation.mjs';

const fileBytes = 1_048_576;
/** Files that wait for an agent that does not read them. */
const filesMax = 64;
const itemBytes = 262_144;
/** Milliseconds that a listener goes on without its agent, which may be starting again. */
const withoutAgentMs = 60_000;
const refusalsEveryMs = 5_000;
const refusalsMax = 1_000;
const reportEveryMs = 30_000;

const isFile = (name) => name.endsWith('.ndjson');

export function openItems() {
  const folder = process.env['CLOUDFIT_ITEMS'];
  if (!folder) throw new Error('This agent is too old for listeners: please update it.');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const counts = { Received: 0, Refused: 0 };
  let fd;
  let bytes = 0;
  let files = 0;
  let isTold = false;

  function rotate() {
    if (fd !== undefined) closeSync(fd);
    files += 1;
    bytes = 0;
    // In the order of their names; those of a process before this one come first.
    fd = openSync(
      join(folder, `${String(Date.now()).padStart(13, '0')}-${process.pid}-${String(files).padStart(6, '0')}.ndjson`),
      'a',
      0o600,
    );
  }

  function tellAgent() {
    if (isTold) return;
    isTold = true;
    setImmediate(() => {
      isTold = false;
      report({ items: true });
    });
  }

  /** Writes an item; returns false when it could not be written. */
  function write(item) {
    const line = Buffer.from(`${JSON.stringify(item)}\n`);
    if (line.length > itemBytes) return false;
    try {
      if (fd === undefined || bytes + line.length > fileBytes) {
        if (readdirSync(folder).filter(isFile).length >= filesMax) return false;
        rotate();
      }
      bytes += line.length;
      if (writeSync(fd, line) === line.length) return (tellAgent(), true);
    } catch {
      // The disk is full.
    }
    // Half of a line must not become one with the next.
    fd = undefined;
    return false;
  }

  /** Refusals that are counted until the next time that they are written. */
  const refusals = new Map();
  let timer;

  function flush() {
    clearTimeout(timer);
    timer = undefined;
    for (const [key, { code, message, sample, count }] of refusals) {
      if (count > 0) write({ id: randomUUID(), at: Date.now(), refusal: { code, message }, sample, count });
      refusals.delete(key);
    }
  }

  /** Counts a refusal. The first of its kind and sender is written at once, further ones of the next seconds together. */
  function refuse({ code, message, sender = '', sample = null }) {
    counts.Received += 1;
    counts.Refused += 1;
    const key = refusals.size < refusalsMax ? `${code} ${sender}` : code;
    const before = refusals.get(key);
    if (before) before.count += 1;
    else {
      refusals.set(key, { code, message, sample, count: 0 });
      write({ id: randomUUID(), at: Date.now(), refusal: { code, message }, sample, count: 1 });
    }
    timer ??= setTimeout(flush, refusalsEveryMs);
    return false;
  }

  let withoutAgent;
  process.stdout.on('error', () => {
    withoutAgent ??= setTimeout(() => process.exit(1), withoutAgentMs);
  });

  return {
    folder,
    counts,
    refuse,
    /** Hands an item over; returns whether it is stored. */
    add: (item) => {
      const isStored = write({ id: randomUUID(), at: Date.now(), ...item });
      if (!isStored)
        return refuse({
          code: 'NotStored',
          message: 'The disk of the agent is full, or its files are not read, so the item was not stored.',
          sample: item,
        });
      counts.Received += 1;
      return true;
    },
    /** Says that the listener is there, now and then with its counts. */
    begin: (message, more = () => ({})) => {
      const say = (first) =>
        report({ value: counts.Received, metrics: { ...counts, Up: 1, ...more() }, states: { Listening: 'Up' }, ...first });
      say({ message });
      setInterval(say, reportEveryMs);
    },
    close: () => {
      flush();
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

/** Runs what takes a message. A sender must not end the listener, whatever it sends and whatever this program has not thought of. */
export function guarded(items, sender, take) {
  try {
    return take();
  } catch (error) {
    return items.refuse({ code: 'MalformedMessage', message: `What ${sender} sends cannot be read: ${error.message}`, sender });
  }
}

/** Ends the listener when the agent asks for it: nothing more is taken, and what was taken is written. */
export function endWith(close) {
  const end = () => {
    close();
    process.exit(0);
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}
