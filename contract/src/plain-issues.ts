/** Error messages in plain words for invalid input, if the schema has no error message. */
import type { z } from 'zod';

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a time',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  time: 'a time of day such as 12:00:00',
  uuid: 'a GUID',
  guid: 'a GUID',
  email: 'an e-mail address',
  url: 'an address that starts with http',
};

function bounded(origin: string, word: 'at most' | 'at least', limit: number | bigint): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : undefined;
  return unit ? `Must have ${word} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}.` : `Must be ${word} ${limit}.`;
}

/**
 * Returns the message of an issue. The message names the property, because messages of several issues are joined. Undefined
 * leaves the message to the library.
 */
export function plainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  const text = textOf(issue);
  const path = issue.path?.join('.');
  return text && path && !text.startsWith('There') ? `${path} ${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}

function textOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'Is required.';
      return `Must be ${kinds[issue.expected] ?? issue.expected}.`;
    case 'too_big':
      return bounded(issue.origin, 'at most', issue.maximum);
    case 'too_small':
      return bounded(issue.origin, 'at least', issue.minimum);
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}.`;
    case 'invalid_value':
      return issue.values.length === 1 ? `Must be ${String(issue.values[0])}.` : `Must be one of ${issue.values.map(String).join(', ')}.`;
    case 'invalid_format':
      return formats[issue.format] ? `Must be ${formats[issue.format]}.` : 'Does not have the right form.';
    case 'unrecognized_keys':
      return `There is no ${issue.keys.join(', ')} here.`;
    case 'invalid_union':
      return 'Has none of the forms that are possible here.';
    default:
      return undefined;
  }
}
