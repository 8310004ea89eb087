/** UUID version 7, created here because a packet's id is the correlation id of everything that it causes. */
import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(8_192);
/** The pool as hexadecimal digits, of which each id takes 20; converting all at once is cheaper. */
let digits = '';
let used = 0;

/** The last time that was written or read, and the 13 characters of an id that say it: the packets of a batch share it. */
let written = { at: Number.NaN, as: '' };
let read = { at: 0, as: '?' };

/** The creation time in such an id, in epoch milliseconds; undefined for an id of another version. */
export function timeOfUuidV7(id: string): number | undefined {
  if (id.length !== 36 || id[14] !== '7') return undefined;
  if (!id.startsWith(read.as)) read = { at: Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16), as: id.slice(0, 13) };
  return read.at;
}

function timePart(at: number): string {
  if (written.at !== at) {
    const time = at.toString(16).padStart(12, '0');
    written = { at, as: `${time.slice(0, 8)}-${time.slice(8)}` };
  }
  return written.as;
}

/** Returns a new id; ids are ordered by time to the millisecond. */
export function uuidV7(at: number = Date.now()): string {
  if (used === digits.length) {
    randomFillSync(pool);
    // Version and variant overwrite the top bits of two of the ten random bytes of each id.
    for (let i = 0; i + 10 <= pool.length; i += 10) {
      pool[i] = 0x70 | ((pool[i] ?? 0) & 0x0f);
      pool[i + 2] = 0x80 | ((pool[i + 2] ?? 0) & 0x3f);
    }
    digits = pool.toString('hex', 0, pool.length - (pool.length % 10));
    used = 0;
  }
  const from = used;
  used += 20;
  return `${timePart(at)}-${digits.slice(from, from + 4)}-${digits.slice(from + 4, from + 8)}-${digits.slice(from + 8, used)}`;
}
