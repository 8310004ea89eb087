import { expect, it } from 'vitest';
import { messageOf, validationFailed } from './errors.ts';

it('reads the text of whatever was thrown', () => {
  expect(messageOf(new Error('The disk is full.'))).toBe('The disk is full.');
  expect(messageOf('a text')).toBe('a text');
  expect(messageOf(undefined)).toBe('undefined');
});

it('names the code or the kind of an error without a message', () => {
  expect(messageOf(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
  expect(messageOf(new TypeError(''))).toBe('TypeError');
});

it('ends each of several texts by a stop, and leaves one text as it is', () => {
  const wrong = (...messages: string[]) => validationFailed(messages.map((message) => ({ target: 'x', message }))).message;
  expect(wrong('Please enter the title')).toBe('Please enter the title');
  expect(wrong('Please enter the title', 'Tenant is required.')).toBe('Please enter the title. Tenant is required.');
});
