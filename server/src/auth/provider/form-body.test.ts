/** Which request bodies are accepted as forms, and which fields are parsed as a JSON object. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { formBody, jsonObject } from './form-body.ts';

const body = async (chunks: readonly string[], type: string | undefined = 'application/x-www-form-urlencoded') => {
  const req = Object.assign(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), {
    headers: type === '' ? {} : { 'content-type': type },
  });
  const form = await formBody(req as unknown as IncomingMessage);
  return form && [...form].map(([name, value]) => [name, value.length]);
};

it('a form has at most 16 KiB, in however many parts', async () => {
  expect(await body(['a=1', '1&b', '=2'])).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
  const [half, rest] = ['x'.repeat(8_192), 'x'.repeat(8_190)];
  expect(await body([half, `y=${rest}`])).toEqual([[`${half}y`, 8_190]]);
  expect(await body([half, `y=${rest}x`])).toBeUndefined();
  expect(await body(['a=1'], 'Application/X-WWW-Form-Urlencoded; charset=utf-8')).toEqual([['a', 1]]);
  for (const type of ['', 'text/plain', 'application/json', 'application/x-www-form-urlencodedx'])
    expect(await body(['a=1'], type)).toBeUndefined();
});

it('a field that a script filled holds one object', () => {
  expect(jsonObject('{"a":1}')).toEqual({ a: 1 });
  for (const text of [undefined, null, '', 'x', '5', 'null', '[]', '"a"']) expect(jsonObject(text)).toBeUndefined();
});
