import { expect, it } from 'vitest';
import { messageOf } from './errors.ts';

it('reads the text of whatever was thrown', () => {
  expect(messageOf(new Error('The disk is full.'))).toBe('The disk is full.');
  expect(messageOf('a text')).toBe('a text');
  expect(messageOf(undefined)).toBe('undefined');
});

it('names the code or the kind of an error without a message', () => {
  expect(messageOf(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
  expect(messageOf(new TypeError(''))).toBe('TypeError');
});
