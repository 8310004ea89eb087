import { describe, expect, it } from 'vitest';
import { oneLine, seenLength, startOf } from './one-line.ts';
import { f } from './resource.ts';

const messageOf = (
  field: { schema: () => { safeParse: (value: unknown) => { error?: { issues: { message: string }[] } } } },
  value: string,
) => field.schema().safeParse(value).error?.issues[0]?.message;

describe('a text of one line', () => {
  const name = f.text('Name', { required: true });
  const wrong = 'Name has a line break or another character that cannot be shown. Remove it.';

  it.each([
    'N\rBEGIN:VEVENT',
    'Eve\r\nBcc: x',
    'a\nb',
    'a\tb',
    'a\u001bb',
    'a\u0085b',
    'a\u2028b',
    'safe\u202Efdp.exe',
    'a\u2066b',
    'a\uD800',
    '\uDC00a',
  ])('refuses %j', (value) => expect(messageOf(name, value)).toBe(wrong));

  it.each(['Zürich', 'קומה 2', 'مكتب', '東京', '👩‍👩‍👧 team', 'क्‍ष', "O'Neil & Sons", 'a\u200Fb'])('takes %j', (value) =>
    expect(messageOf(name, value)).toBeUndefined(),
  );

  it('is missing if nothing of it can be seen', () => {
    for (const value of ['\u200B', '\u200B\u200D \u2060', '\uFEFF', '\u3164', ' '])
      expect(messageOf(name, value)).toBe('Name is required.');
    expect(seenLength('a\u200Bb ')).toBe(2);
  });

  it('says of NUL that it cannot be stored', () => expect(messageOf(name, 'a\0')).toBe('Name contains a character that cannot be stored.'));

  it('is made of what a machine wrote', () => {
    expect(oneLine('disk\r\nfull\0 \u202Eon \uD83D')).toBe('disk full   on');
    expect(messageOf(name, oneLine('a\n\u2029b\uDC00c'))).toBeUndefined();
  });
});

describe('the start of a text', () => {
  it.each([
    ['a\u{1F525}', 3, 'a\u{1F525}'],
    ['a\u{1F525}', 2, 'a\uFFFD'],
    ['\uDD25a', undefined, '\uFFFDa'],
  ])('of %j up to %s has no half of a character', (text, length, start) => expect(startOf(text, length)).toBe(start));
});

describe('a text of several lines', () => {
  it('keeps line breaks and tabs, and no half of a character', () => {
    for (const field of [f.text('Note', { max: 4_000 }), f.text('Note', { max: 500, input: 'multiline' })]) {
      expect(messageOf(field, 'a\r\n\tb\nc')).toBeUndefined();
      expect(messageOf(field, 'a\uD800')).toBe('Note contains a character that cannot be stored.');
    }
    expect(messageOf(f.text('Link', { max: 2_000, input: 'text' }), 'http://a\njavascript:x')).toBeDefined();
  });
});
