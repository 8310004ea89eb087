/** The encoding of a log, and the lines in a part of its bytes. */
import { isUtf8 } from 'node:buffer';

export const encodings = ['Automatic', 'UTF-8', 'UTF-16LE', 'UTF-16BE', 'Windows-1252'];

/** The characters of Windows-1252 from 0x80 to 0x9f, where it differs from Latin-1. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function fromWindows1252(bytes) {
  return bytes.toString('latin1').replaceAll(/[\x80-\x9f]/g, (char) => windows1252[char.charCodeAt(0) - 0x80]);
}

/**
 * Returns the encoding by the first bytes of a file. Texts in UTF-8 have no zero bytes; in UTF-16, those of line breaks, spaces and
 * digits are at the odd or at the even positions. The zeros of a hole, which a log that was truncated may begin with, are at both.
 */
export function encodingOf(head) {
  if (head[0] === 0xff && head[1] === 0xfe) return 'UTF-16LE';
  if (head[0] === 0xfe && head[1] === 0xff) return 'UTF-16BE';
  let [even, odd] = [0, 0];
  for (let at = 0; at + 1 < head.length; at += 2) {
    if (head[at] === 0 && head[at + 1] !== 0) even++;
    if (head[at] !== 0 && head[at + 1] === 0) odd++;
  }
  if (Math.max(even, odd) * 40 < head.length) return 'UTF-8';
  return odd > even ? 'UTF-16LE' : 'UTF-16BE';
}

/** The bytes of a character in the encoding, for those that always have the same. */
export const unitBytes = (encoding) => (encoding.startsWith('UTF-16') ? 2 : 1);

function textOf(bytes, encoding) {
  if (encoding === 'UTF-16LE') return bytes.toString('utf16le');
  if (encoding === 'UTF-16BE') return Buffer.from(bytes).swap16().toString('utf16le');
  return encoding === 'Windows-1252' ? fromWindows1252(bytes) : bytes.toString();
}

/** Returns the text of a line without a byte order mark, the zeros of a hole before it, and the CR of a line break. */
const cleaned = (line) => line.replace(/^[\0\ufeff]+/, '').replace(/\r$/, '');

/** Returns the position after the last line break in bytes that begin at the beginning of a character; 0 if there is none. */
export function endOfLastLine(bytes, encoding) {
  if (unitBytes(encoding) === 1) return bytes.lastIndexOf(0x0a) + 1;
  const [first, second] = encoding === 'UTF-16LE' ? [0x0a, 0] : [0, 0x0a];
  for (let at = bytes.length - (bytes.length % 2) - 2; at >= 0; at -= 2) if (bytes[at] === first && bytes[at + 1] === second) return at + 2;
  return 0;
}

/** Returns the position after the first line break; 0 if there is none. */
export function endOfFirstLine(bytes, encoding) {
  if (unitBytes(encoding) === 1) return bytes.indexOf(0x0a) + 1;
  const [first, second] = encoding === 'UTF-16LE' ? [0x0a, 0] : [0, 0x0a];
  for (let at = 0; at + 1 < bytes.length; at += 2) if (bytes[at] === first && bytes[at + 1] === second) return at + 2;
  return 0;
}

/** Returns the lines of a part; lines that are not UTF-8 are read as Windows-1252, also among others that are. */
export function linesOf(bytes, encoding) {
  const isMixed = encoding === 'UTF-8' && !isUtf8(bytes);
  const lines = isMixed
    ? bytes
        .toString('latin1')
        .split('\n')
        .map((line) => Buffer.from(line, 'latin1'))
        .map((line) => (isUtf8(line) ? line.toString() : fromWindows1252(line)))
    : textOf(bytes, encoding).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map(cleaned);
}
