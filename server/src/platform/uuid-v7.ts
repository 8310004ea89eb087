/** UUID version 7, created here because a packet's id is the correlation id of everything that it causes. */
import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(8_192);
let used = pool.length;

/** The creation time in such an id, in epoch milliseconds; undefined for an id of another version. */
export function timeOfUuidV7(id: string): number | undefined {
  return id.length === 36 && id[14] === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

/** Returns a new id; ids are ordered by time to the millisecond. */
export function uuidV7(at: number = Date.now()): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  // Version and variant overwrite the top bits of two of the ten random bytes.
  pool[used] = 0x70 | ((pool[used] ?? 0) & 0x0f);
  pool[used + 2] = 0x80 | ((pool[used + 2] ?? 0) & 0x3f);
  const time = at.toString(16).padStart(12, '0');
  const random = pool.toString('hex', used, used + 10);
  used += 10;
  return `${time.slice(0, 8)}-${time.slice(8)}-${random.slice(0, 4)}-${random.slice(4, 8)}-${random.slice(8)}`;
}
