import { expect, it } from 'vitest';
import { textOfFile } from './file-text.ts';

const text = 'Größe;Ort\r\nKöln;"x"\r\n';

it.each([
  ['UTF-8', Buffer.from(text, 'utf8')],
  ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`, 'utf8')],
  ['UTF-16 little-endian with a byte order mark', Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16 little-endian', Buffer.from(text, 'utf16le')],
  ['UTF-16 big-endian', Buffer.from(text, 'utf16le').swap16()],
  ['UTF-16 big-endian with a byte order mark', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
  ['Windows-1252', Buffer.from(text, 'latin1')],
])('reads %s', (_, bytes) => expect(textOfFile(new Uint8Array(bytes))).toBe(text));

it('reads the signs of Windows-1252 that Latin-1 does not have', () => {
  expect(textOfFile(new Uint8Array([0x80, 0x20, 0x93, 0x78, 0x94]))).toBe('€ “x”');
});

it('reads nothing', () => expect(textOfFile(new Uint8Array())).toBe(''));
