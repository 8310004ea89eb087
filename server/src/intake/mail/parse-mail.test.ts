import { expect, it } from 'vitest';
import { longestTurnOf } from '../../testing/longest-turn.ts';
import { UnreadableMail } from './mail-content.ts';
import { parseMail } from './parse-mail.ts';

const mail = (head: string, fill: string, bytes: number): Buffer =>
  Buffer.concat([Buffer.from(`From: a@b.example\r\n${head}\r\n\r\n`), Buffer.alloc(bytes, fill)]);

it('holds nothing else up while it reads a large mail', async () => {
  const large = mail('Content-Type: text/plain', 'a line of some text\r\n', 4_000_000);
  const { text } = await parseMail(mail('Subject: x', 'warm', 100));
  expect(text).toContain('warm');
  const longest = await longestTurnOf(300, async () => expect((await parseMail(large)).text.length).toBeLessThanOrEqual(100_000));
  expect(longest).toBeLessThan(300);
}, 60_000);

it('refuses what would cost too much, and says why', async () => {
  await expect(parseMail(mail('Content-Type: text/plain', '\n', 700_000))).rejects.toThrow('more than 600000 lines');
  await expect(parseMail(mail('Content-Type: multipart/mixed; boundary=x', '--x\n', 60_000))).rejects.toThrow('could separate parts');
  const deep = Array.from({ length: 100 }, (_, n) => `--b${n}\r\nContent-Type: multipart/mixed; boundary=b${n + 1}\r\n\r\n`).join('');
  await expect(parseMail(Buffer.from(`From: a@b.example\r\nContent-Type: multipart/mixed; boundary=b0\r\n\r\n${deep}`))).rejects.toThrow(
    UnreadableMail,
  );
  await expect(parseMail(Buffer.from(`From: a@b.example\r\nX-A: ${'x'.repeat(2_000_000)}\r\n\r\nx`))).rejects.toThrow(UnreadableMail);
});

it('tells a second delivery from another mail with the same Message-ID', async () => {
  const of = async (text: string) => (await parseMail(Buffer.from(text))).key.toString('hex');
  const one = 'From: a@b.example\r\nSubject: S\r\nMessage-ID: <1@b>\r\n\r\nText';
  expect(await of(`Received: by x\r\n${one}`)).toBe(await of(one));
  for (const [from, to] of [
    ['a@b', 'c@b'],
    ['Text', 'Other'],
    ['Subject: S', 'Subject: T'],
    ['<1@b>', '<2@b>'],
  ] as const)
    expect(await of(one.replace(from, to))).not.toBe(await of(one));
});

it('reads letters of Windows-1252 that a device writes without saying so, and no others as such', async () => {
  const of = async (head: string, text: string, encoding: BufferEncoding) => {
    const {
      subject,
      senderName,
      text: read,
    } = await parseMail(
      Buffer.concat([
        Buffer.from(`From: M\u00fcller <a@b.example>\r\nSubject: Dr\u00fccker\r\n${head}\r\n`, encoding),
        Buffer.from(text, encoding),
      ]),
    );
    return [senderName, subject, read];
  };
  const right = ['Müller', 'Drücker', 'Papier für 5 Blätter'];
  expect(await of('', right[2] ?? '', 'latin1')).toEqual(right);
  expect(await of('Content-Type: text/plain\r\n', right[2] ?? '', 'latin1')).toEqual(right);
  expect(await of('Content-Type: text/plain;\r\n charset=iso-8859-1\r\n', right[2] ?? '', 'latin1')).toEqual(right);
  expect(await of('', right[2] ?? '', 'utf8')).toEqual(right);
  expect(await of('Content-Type: text/plain; charset=utf-8\r\n', right[2] ?? '', 'utf8')).toEqual(right);
  // A large mail of which the beginning is read ends within a letter.
  const cut = Buffer.concat([Buffer.from('From: a@b.example\r\nSubject: x\r\n\r\nf\u00fcr '), Buffer.from('\u20ac').subarray(0, 2)]);
  expect((await parseMail(cut)).text).toContain('für');
});
