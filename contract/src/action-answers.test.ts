import { expect, it } from 'vitest';
import {
  contentProblem,
  expectedAnswerProblems,
  isExpectedStatus,
  readsContent,
  referenceIn,
  type ExpectedAnswer,
} from './action-answers.ts';

const expected = (fields: Partial<ExpectedAnswer> = {}): ExpectedAnswer => ({
  successStatuses: null,
  successText: null,
  successField: null,
  successValue: null,
  ...fields,
});

it('takes 200 to 299 for success, or the statuses that the action names', () => {
  const accepted = (successStatuses: string | null) =>
    [199, 200, 202, 299, 300, 409].filter((item) => isExpectedStatus(item, { successStatuses }));
  expect(accepted(null)).toEqual([200, 202, 299]);
  expect(accepted('200')).toEqual([200]);
  expect(accepted(' 201-299 ,409')).toEqual([202, 299, 409]);
});

it.each(['', ',', '2xx', '20', '600', '099', '299-200', '200;201', '200,', '-1', '200 - '])(
  'refuses "%s" as a list of statuses',
  (text) => {
    const problems = expectedAnswerProblems(expected({ successStatuses: text }));
    expect(problems.map(({ target }) => target)).toEqual(text === '' ? [] : ['successStatuses']);
  },
);

it('asks for the value of a field, and for the field of a value', () => {
  const targets = (fields: Partial<ExpectedAnswer>) => expectedAnswerProblems(expected(fields)).map(({ target }) => target);
  expect(targets({ successField: 'ok' })).toEqual(['successValue']);
  expect(targets({ successValue: 'true' })).toEqual(['successField']);
  expect(targets({ successField: 'ok', successValue: 'true', successStatuses: '200-204, 409' })).toEqual([]);
});

it('reads the content only if a text or field is declared', () => {
  expect([expected(), expected({ successStatuses: '200' })].map(readsContent)).toEqual([false, false]);
  expect([expected({ successText: 'ok' }), expected({ successField: 'ok' })].map(readsContent)).toEqual([true, true]);
});

it.each([
  ['{"ok":true}', { successField: 'ok', successValue: 'true' }, undefined],
  ['{"ok":false,"error":"channel_not_found"}', { successField: 'ok', successValue: 'true' }, [true, 'Its answer has ok false, not true.']],
  ['{"ok":"TRUE "}', { successField: 'ok', successValue: 'true' }, undefined],
  [
    '{"status":"invalid event"}',
    { successField: 'status', successValue: 'success' },
    [true, 'Its answer has status invalid event, not success.'],
  ],
  ['{"result":[{"code":0}]}', { successField: 'result.0.code', successValue: '0' }, undefined],
  ['{"result":null}', { successField: 'result.code', successValue: '0' }, [false, 'Its answer has no field result.code.']],
  ['{"a":null}', { successField: 'a', successValue: 'null' }, undefined],
  ['{}', { successField: 'toString', successValue: 'x' }, [false, 'Its answer has no field toString.']],
  ['<html>Sign in</html>', { successField: 'ok', successValue: 'true' }, [false, 'Its answer is not JSON, so it has no field ok.']],
  ['OK, queued', { successText: 'ok' }, undefined],
  ['Maintenance', { successText: 'ok' }, [false, 'Its answer does not contain "ok".']],
  ['', { successText: 'ok' }, [false, 'Its answer does not contain "ok".']],
  // What PostgreSQL refuses to store would make the call go out again.
  ['{"ok":"a\\u0000b"}', { successField: 'ok', successValue: 'true' }, [true, 'Its answer has ok a\ufffdb, not true.']],
  [
    `{"ok":"${'x'.repeat(99)}😀"}`,
    { successField: 'ok', successValue: 'true' },
    [true, `Its answer has ok ${'x'.repeat(99)}\ufffd…, not true.`],
  ],
] as const)('judges the answer %s', (content, fields, problem) => {
  const [isRefusal, message] = problem ?? [];
  expect(contentProblem(content, expected(fields))).toEqual(problem && { isRefusal, message });
});

it('takes the reference that an answer names, with its address in each form, and nothing that is no address', () => {
  const of = (content: string, referenceField: string | null, referenceAddress: string | null) =>
    referenceIn(content, { referenceField, referenceAddress });
  const jira = '{"id":"1","key":"OPS 24","self":"https://x.example/1","bad":"javascript:alert(1)"}';
  expect(of(jira, 'key', 'https://x.example/browse/{key}')).toEqual({ id: 'OPS 24', url: 'https://x.example/browse/OPS%2024' });
  expect(of(jira, 'id', '{self}')).toEqual({ id: '1', url: 'https://x.example/1' });
  expect(of(jira, 'id', '{bad}')).toEqual({ id: '1', url: undefined });
  expect(of('{"key":"a\\u0000\\ud83d"}', 'key', 'https://x.example/{key}')).toEqual({
    id: 'a\ufffd\ufffd',
    url: 'https://x.example/a%EF%BF%BD%EF%BF%BD',
  });
  expect(of(`{"key":"${'x'.repeat(199)}😀"}`, 'key', null)?.id).toBe(`${'x'.repeat(199)}\ufffd`);
  expect(of('{"result":{"number":7}}', 'result.number', null)).toEqual({ id: '7', url: undefined });
  expect([of('<html>', 'key', null), of(jira, 'other', null), of(jira, null, null)]).toEqual([undefined, undefined, undefined]);
});

it('refuses an address of a reference without its field, and one that is no address', () => {
  const targets = (fields: object) => expectedAnswerProblems(expected(fields)).map(({ target }) => target);
  expect(targets({ referenceAddress: '{html_url}' })).toEqual(['referenceAddress']);
  expect(targets({ referenceField: 'key', referenceAddress: 'browse/{key}' })).toEqual(['referenceAddress']);
  expect(targets({ referenceField: 'key', referenceAddress: 'https://x.example/{key}' })).toEqual([]);
});
