import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileInNote, mentionAt, mentionsIn, noteOfFile, openActionsIn, partsOfNote, plainNote } from './notes.ts';

const special = (text: string) =>
  partsOfNote(text)
    .filter(({ kind }) => kind !== 'text')
    .map(({ kind, text }) => `${kind} ${text}`);

it.each([
  ['See https://example.com/a?b=c#d.', ['link https://example.com/a?b=c#d']],
  ['(https://example.com/a) and (https://example.com/a_(b))', ['link https://example.com/a', 'link https://example.com/a_(b)']],
  ['javascript:alert(1) data:text/html,x http:// https://', []],
  ['Like #1504, not #15x, a#1504 or ##7', ['unit #1504']],
  ['@mara@example.com, please; mara@example.com knows', ['mention @mara@example.com']],
  ['Thanks @tom.berg! (@ana)', ['mention @tom.berg', 'mention @ana']],
  ['@ @. a@b', []],
  ['@møller@exämple.dk', ['mention @møller@exämple.dk']],
  ['<b>@mara</b> https://example.com/<script>', ['mention @mara', 'link https://example.com/']],
])('finds addresses, numbers and mentions in %j', (text, parts) => expect(special(text)).toEqual(parts));

it('keeps every character of any text', () => {
  const piece = fc.constantFrom('@', '#', '1504', 'https://', 'example.com', '(', ')', '.', ' ', '\n', 'mara', '<', 'ü', '😀');
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      expect(
        partsOfNote(text)
          .map((part) => part.text)
          .join(''),
      ).toBe(text);
    }),
  );
});

it('names each person once, without regard to case', () => {
  expect(mentionsIn('@Mara and @mara and @tom')).toEqual(['mara', 'tom']);
});

it('names nobody whom a quote or code mentions', () => {
  expect(mentionsIn('> @mara: look\n\n@tom, see above\n  > @ana')).toEqual(['tom']);
  expect(mentionsIn('```\n@mara\n> x\n```\n@tom `@ana` @eve')).toEqual(['tom', 'eve']);
  expect(mentionsIn('```\n@mara')).toEqual([]);
  expect(mentionsIn('5 > 3, says @mara; a ` alone, @tom')).toEqual(['mara', 'tom']);
});

it('names a file in a text so that nothing of its name is markup, and reads it again', () => {
  const id = '0197a3b0-1111-7222-8333-444455556666';
  expect(noteOfFile({ id, name: 'a](http://x) *b*.png', isImage: true })).toBe(`![a (http://x)  b .png](file:${id})`);
  expect(fileInNote(`file:${id}`)).toBe(id);
  for (const other of ['file:///etc/passwd', `file:${id}/..`, `https://x/file:${id}`, 'file:x']) expect(fileInNote(other)).toBeUndefined();
});

it('finds the actions that are open', () => {
  expect(openActionsIn('Then:\n- [ ] one\n  * [ ] two \n- [x] done\n- []no\n- [ ] \n[ ] no')).toEqual(['one', 'two']);
});

it('sees the mention that is being typed', () => {
  const at = (text: string) => mentionAt(text, text.length);
  expect(at('Hello @ma')).toEqual({ from: 6, typed: 'ma' });
  expect(at('@')).toEqual({ from: 0, typed: '' });
  expect(at('@Mara Ok')).toEqual({ from: 0, typed: 'Mara Ok' });
  expect(at('mara@ex')).toBeUndefined();
  expect(at('@mara, then')).toBeUndefined();
  expect(mentionAt('@ma later', 3)).toEqual({ from: 0, typed: 'ma' });
});

it('says a note without the signs that format it', () => {
  const note = '## Look\n> as told\n\n**Both** pumps: `a_b`, [the plan](https://x/y), 2 * 3 ** 4\n- one\n- [ ] two\n```sh\nls -l\n```';
  expect(plainNote(note)).toBe('Look\nas told\n\nBoth pumps: a_b, the plan, 2 * 3 ** 4\n· one\n· two\n\nls -l\n');
  expect(plainNote('Hello @mara@example.com, see #1501.')).toBe('Hello @mara@example.com, see #1501.');
});
