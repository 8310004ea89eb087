import { describe, expect, it } from 'vitest';
import { oneLine, seenLength, shortened, startOf } from './one-line.ts';
import { f } from './resource.ts';

const messageOf = (
  field: { schema: () => { safeParse: (value: unknown) => { error?: { issues: { message: string }[] } } } },
  value: string,
) => field.schema().safeParse(value).error?.issues[0]?.message;

describe('a text of one line', () => {
  const name = f.text('Name', { required: true });

  it.each([
    ['N\rBEGIN:VEVENT', 'a line break (U+000D) at character 2'],
    ['Eve\r\nBcc: x', 'a line break (U+000D) at character 4'],
    ['a\tb', 'a tab (U+0009) at character 2'],
    ['\u{1F525}\u001bb', 'a control character (U+001B) at character 2'],
    ['a\0', 'a control character (U+0000) at character 2'],
    ['a\u0085b', 'a line break (U+0085) at character 2'],
    ['a\u2028b', 'a line break (U+2028) at character 2'],
    ['safe\u202Efdp.exe', 'a character that turns the direction of the text (U+202E) at character 5'],
    ['a\u2066b', 'a character that turns the direction of the text (U+2066) at character 2'],
    ['a\uD800', 'half of a character (U+D800) at character 2'],
    ['\uDC00a', 'half of a character (U+DC00) at character 1'],
  ])('refuses %j and says where', (value, what) => expect(messageOf(name, value)).toBe(`Name has ${what}. Remove it.`));

  it.each(['Zürich', 'קומה 2', 'مكتب', '東京', '👩‍👩‍👧 team', 'क्‍ष', "O'Neil & Sons", 'a\u200Fb'])('takes %j', (value) =>
    expect(messageOf(name, value)).toBeUndefined(),
  );

  it('is missing if it is blank, and refused if nothing of it can be seen, also where it may be empty', () => {
    for (const value of [' ', '\u00a0\u3000', '\uFEFF']) expect(messageOf(name, value)).toBe('Name is required.');
    for (const [value, code] of Object.entries({
      '\u200B': '200B',
      '\u200B\u200D \u2060': '200B',
      '\u3164': '3164',
      '\u2060': '2060',
      '\u2800\uFE0F': '2800',
    }))
      for (const field of [name, f.text('Name')])
        expect(messageOf(field, value)).toBe(`Name has only characters that cannot be seen (U+${code}).`);
    expect(seenLength('a\u200Bb ')).toBe(2);
  });

  it('is stored composed and without blanks at its ends, as texts of several lines are', () => {
    for (const field of [name, f.text('Note', { max: 4_000 })])
      expect(field.schema().parse('\u2003\u00a0Ko\u0308ln\u3000')).toBe('K\u00f6ln');
  });

  it('is made of what a machine wrote', () => {
    expect(oneLine('disk\r\nfull\0 \u202Eon \uD83D')).toBe('disk full   on');
    expect(messageOf(name, oneLine('a\n\u2029b\uDC00c'))).toBeUndefined();
    expect([oneLine('\u200B\n'), oneLine('Ko\u0308ln')]).toEqual(['', 'K\u00f6ln']);
  });
});

describe('the start of a text', () => {
  it.each([
    ['a\u{1F525}', 3, 'a\u{1F525}'],
    ['a\u{1F525}', 2, 'a\uFFFD'],
    ['\uDD25a', undefined, '\uFFFDa'],
    ['a\u001b[1m\n\tb\u202e', undefined, 'a\uFFFD[1m\n\tb\uFFFD'],
  ])('of %j up to %s has nothing that a field refuses', (text, length, start) => expect(startOf(text, length)).toBe(start));
});

it('shortens a text without cutting a character in half', () => {
  expect(shortened('fire', 4)).toBe('fire');
  expect(shortened('a fire', 4)).toBe('a f…');
  expect(shortened('a \u{1F525}\u{1F525}', 4)).toBe('a …');
  expect(shortened('a \u{1F525}\u{1F525}', 5)).toBe('a \u{1F525}…');
});

describe('a text of several lines', () => {
  it('keeps line breaks and tabs, and no half of a character', () => {
    for (const field of [f.text('Note', { max: 4_000 }), f.text('Note', { max: 500, input: 'multiline' })]) {
      expect(messageOf(field, 'a\r\n\tb\nc')).toBeUndefined();
      for (const [value, what] of Object.entries({
        'a\uD800': 'half of a character (U+D800) at character 2',
        '\u001b[1m': 'a control character (U+001B) at character 1',
        'a\n\u202e': 'a character that turns the direction of the text (U+202E) at character 3',
      }))
        expect(messageOf(field, value)).toBe(`Note has ${what}. Remove it.`);
    }
    expect(messageOf(f.text('Link', { max: 2_000, input: 'text' }), 'http://a\njavascript:x')).toBeDefined();
  });
});
