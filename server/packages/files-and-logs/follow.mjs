/**
 * Reads the lines that were added to the files of a log since the last run, each once. A file is recognised by its content: by a
 * hash of the bytes at its beginning and of those before the position up to which it was read. So a position survives that the file is renamed,
 * copied and truncated, or compressed, and that its number in the file system is used again.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, createWriteStream, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { reasonOf } from './log-faults.mjs';
import { encodingOf, endOfFirstLine, endOfLastLine, linesOf, unitBytes } from './log-text.mjs';

const printBytes = 1_024;
/** The maximum number of files whose positions are stored; positions of files that are absent go first. */
const recordsMax = 1_000;
/** A last line without a line break is taken when nothing was added to its file for this time. */
const restMs = 60_000;
/** The maximum size of a compressed file when it is unpacked. */
const unpackedMax = 2 * 1024 ** 3;

const compressed = /\.(gz|zst|bz2|xz)$/;

/** Returns the streams that unpack a file; those of Node, or a program of the machine for what Node does not have. */
function unpacking(path) {
  const kind = compressed.exec(path)[1];
  if (kind === 'gz') return [createReadStream(path), zlib.createGunzip()];
  if (kind === 'zst' && zlib.createZstdDecompress) return [createReadStream(path), zlib.createZstdDecompress()];
  const program = { zst: 'zstd', bz2: 'bzip2', xz: 'xz' }[kind];
  const child = spawn(program, ['-dc', path], { stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true });
  child.once('error', () => child.stdout.destroy(new Error(`this machine has no ${program}`)));
  child.once('exit', (code) => code !== 0 && child.stdout.destroy(new Error(`${program} ended with exit code ${code}`)));
  return [child.stdout];
}

function bytesAt(handle, from, length) {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, readSync(handle, buffer, 0, length, from));
}

/** Returns the hash of the content before a position: of its first and its last bytes. */
function printAt(handle, position) {
  const hash = createHash('sha256');
  const length = Math.min(printBytes, position);
  if (length > 0) hash.update(bytesAt(handle, 0, length));
  if (position > printBytes) hash.update(bytesAt(handle, position - length, length));
  return hash.digest('base64url').slice(0, 22);
}

/** Opens a file of the log; undefined if the path names another file meanwhile. */
function openFile(file) {
  const handle = openSync(file.path, 'r');
  const stats = fstatSync(handle, { bigint: true });
  if (`${stats.dev}:${stats.ino}` === file.id) return { ...file, handle, size: Number(stats.size), mtimeMs: Number(stats.mtimeNs) / 1e6 };
  closeSync(handle);
  return undefined;
}

/** Unpacks a compressed file into a private folder, which `close` removes. */
async function openUnpacked(file) {
  const packed = openFile(file);
  if (!packed) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-log-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    let size = 0;
    const limit = new Transform({
      transform(part, _encoding, done) {
        size += part.length;
        done(size > unpackedMax ? new Error('it is longer than 2 GiB') : null, part);
      },
    });
    const path = join(folder, 'log');
    await pipeline(...unpacking(file.path), limit, createWriteStream(path, { mode: 0o600 }));
    return { ...file, handle: openSync(path, 'r'), size, mtimeMs: packed.mtimeMs, isUnpacked: true, close };
  } catch (error) {
    close();
    throw error;
  } finally {
    closeSync(packed.handle);
  }
}

/** Identifies a compressed file, which nobody appends to: by its size and its end, which has a checksum. */
function sealOf(file) {
  const opened = openFile(file);
  if (!opened) return undefined;
  try {
    const length = Math.min(64, opened.size);
    return `${opened.size}:${bytesAt(opened.handle, opened.size - length, length).toString('base64url')}`;
  } finally {
    closeSync(opened.handle);
  }
}

/** Whether a record is about this file: its content up to the record's position is what was read. */
function isOf(record, file) {
  if (record.position > file.size) return false;
  // Positions of version 1.0.0 have no print.
  if (record.print === undefined) return record.id.split(':')[1] === file.id.split(':')[1];
  return printAt(file.handle, record.position) === record.print;
}

/** Returns the record of a file: the one that was read furthest among those that fit, and removes it from `records`. */
function takeRecord(file, records) {
  const candidates = records
    .filter((record) => record.position > 0 || record.id === file.id)
    .toSorted((one, other) =>
      file.isCurrent && one.id !== other.id && (one.id === file.id || other.id === file.id)
        ? Number(other.id === file.id) - Number(one.id === file.id)
        : other.position - one.position,
    );
  for (const record of candidates) {
    if (!isOf(record, file)) continue;
    records.splice(records.indexOf(record), 1);
    return record;
  }
  return undefined;
}

/** Whether a file is a copy of the current one, which is about to be truncated: what the copy has is read there. */
function isCopy(file, current) {
  if (file.size === 0 || file.size > current.size) return false;
  // Short files without times may begin equally, although one is not the other's copy.
  if (file.size < printBytes && current.mtimeMs > file.mtimeMs) return false;
  return printAt(file.handle, file.size) === printAt(current.handle, file.size);
}

/** Reads the lines of a file from `from`, in parts of at most `chunkBytes`, which is also the maximum length of a line. */
function readLines(file, from, { isCut, takeRest, chunkBytes, budget, encoding, onLine }) {
  const end = { position: from, isCut, cutLines: 0 };
  const chunk = chunkBytes - (chunkBytes % 2);
  while (end.position < file.size && !budget.isSpent()) {
    const part = bytesAt(file.handle, end.position, Math.min(chunk, file.size - end.position));
    if (part.length === 0) break;
    if (end.isCut) {
      const skipped = endOfFirstLine(part, encoding);
      end.isCut = skipped === 0;
      end.position += skipped || part.length - (part.length % unitBytes(encoding));
      if (skipped === 0 && part.length < chunk) break;
      continue;
    }
    const isRest = end.position + part.length >= file.size;
    let length = endOfLastLine(part, encoding);
    if (length === 0 && part.length === chunk && !isRest) {
      length = part.length;
      end.isCut = true;
      end.cutLines++;
    } else if (length === 0 && takeRest) length = part.length;
    if (length === 0) break;
    for (const line of linesOf(part.subarray(0, length), encoding)) onLine(line);
    end.position += length;
    budget.spend(length);
  }
  return end;
}

/** Returns the position at which a first run begins: before the incomplete line at the end of the file. */
function lastLineStart(file, encoding) {
  const from = Math.max(0, file.size - 65_536);
  const even = from - (from % 2);
  const length = endOfLastLine(bytesAt(file.handle, even, file.size - even), encoding);
  return length === 0 && even > 0 ? file.size : even + length;
}

/** Returns the lines before a position, at most `count`. */
function linesBefore(file, position, count, encoding) {
  if (count === 0 || position === 0) return [];
  const from = Math.max(0, position - 65_536);
  const even = from - (from % 2);
  return linesOf(bytesAt(file.handle, even, position - even), encoding).slice(-count);
}

/**
 * Follows the files of a log, see `logFiles`. `records` are those that the last run returned; undefined at the first run, which
 * reads current files from their end, or with `fromStart` from their start, and others not at all.
 * `onFile` is called before the lines of a file, with the lines before them; `onLine` with each line.
 */
export async function follow({ files, records, fromStart, now, encoding, before, chunkBytes, budget, onFile, onLine }) {
  const isFirst = records === undefined;
  const remaining = [...(records ?? [])];
  const [opened, next, faults] = [[], [], []];
  const result = { records: [], bytesLeft: 0, cutLines: 0, lost: [], faults };
  try {
    for (const file of files) {
      try {
        if (!compressed.test(file.path) || file.isCurrent) {
          const plain = openFile(file);
          if (plain) opened.push(plain);
          continue;
        }
        const seal = sealOf(file);
        if (seal === undefined) continue;
        const record = remaining.find((candidate) => candidate.seal === seal);
        if (record) remaining.splice(remaining.indexOf(record), 1);
        next.push({ path: file.path, id: file.id, seal });
        if (record || isFirst) continue;
        const unpacked = await openUnpacked(file);
        if (unpacked) opened.push(unpacked);
      } catch (error) {
        // While a file is being compressed, it is still there itself.
        if (files.some(({ path }) => path === file.path.replace(compressed, ''))) next.pop();
        else if (error.code !== 'ENOENT') faults.push(`${file.path} cannot be read (${reasonOf(error)}).`);
      }
    }
    const positions = remaining.filter((record) => record.seal === undefined);
    const pairs = new Map();
    // A current file that goes on keeps its position; a copy of it gets the position when it does not go on.
    for (const file of opened.toSorted((one, other) => Number(other.isCurrent) - Number(one.isCurrent))) {
      const same = positions.find((record) => record.id === file.id);
      const isSame = same && (file.isCurrent || same.position === file.size) && isOf(same, file);
      if (isSame) positions.splice(positions.indexOf(same), 1);
      if (isSame) pairs.set(file, same);
    }
    const unpaired = opened.filter((item) => !pairs.has(item)).toSorted((one, other) => Number(one.isCurrent) - Number(other.isCurrent));
    for (const file of unpaired) pairs.set(file, takeRecord(file, positions));
    // What was read has gone from its path, and no file has it: it was deleted, truncated, or packed in a way that is not read here.
    const lost = positions.filter(
      (last) => last.isCurrent && last.position > 0 && opened.some((file) => file.isCurrent && file.path === last.path),
    );
    for (const last of lost) delete last.isCurrent;
    result.lost = lost.map((last) => last.path);

    const copies = [];
    const record = (file, position, isCut = false) =>
      next.push({
        path: file.path,
        id: file.id,
        size: file.size,
        position,
        print: printAt(file.handle, position),
        ...(isCut ? { isCut } : {}),
        ...(file.isCurrent ? { isCurrent: true } : {}),
      });
    for (const file of opened) {
      const last = pairs.get(file);
      const fileEncoding = encoding === 'Automatic' ? encodingOf(bytesAt(file.handle, 0, printBytes)) : encoding;
      let from = last?.position ?? 0;
      if (isFirst && !(fromStart && file.isCurrent)) from = lastLineStart(file, fileEncoding);
      const original = !file.isCurrent && from < file.size ? opened.find((item) => item.isCurrent && isCopy(file, item)) : undefined;
      if (original) {
        copies.push({ file, original });
        continue;
      }
      // A file that nobody has read yet is read by the next run when this one has read enough.
      if (budget.isSpent() && !last && from < file.size) {
        result.bytesLeft += file.size - from;
        if (file.isUnpacked)
          next.splice(
            next.findIndex(({ path }) => path === file.path),
            1,
          );
        continue;
      }
      onFile(linesBefore(file, from, before, fileEncoding));
      const end = readLines(file, from, {
        isCut: last?.isCut ?? false,
        takeRest: file.isUnpacked || (last?.size === file.size && now - file.mtimeMs >= restMs),
        chunkBytes,
        // An unpacked file is read to its end, because the next run would have to unpack it again.
        budget: file.isUnpacked ? { ...budget, isSpent: () => false } : budget,
        encoding: fileEncoding,
        onLine,
      });
      result.cutLines += end.cutLines;
      result.bytesLeft += file.size - end.position;
      if (!file.isUnpacked) record(file, end.position, end.isCut);
    }
    for (const { file, original } of copies) {
      const position = next.find(({ path }) => path === original.path)?.position ?? 0;
      if (!file.isUnpacked) record(file, Math.min(position, file.size));
    }
    // Files that are absent, such as those of a network drive, may come back.
    result.records = [...next, ...positions, ...remaining.filter((record) => record.seal !== undefined)].slice(0, recordsMax);
    return result;
  } finally {
    for (const file of opened) {
      closeSync(file.handle);
      file.close?.();
    }
  }
}
