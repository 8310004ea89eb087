/** The opaque `$skiptoken` of a next link: which order a list has, and the sort values of the last row of a page. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { QueryOptions } from '@cloudfit/contract/query/options.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { PageEnd } from '../query/source.ts';

const tokenContent = z.tuple([z.string(), z.array(z.string().nullable())]);

/** Identifies the order of a list, because a token is valid for one order only. */
export function orderTag({ name, orderBy }: Resource, { orderby = '', apply = '', compute = '' }: QueryOptions): string {
  // Tokens of an earlier version hold where rows are sorted as they were.
  const amongEqual = orderby === '' || orderby.includes(',') ? [] : ['the usual order among equal rows'];
  return createHash('sha1')
    .update(JSON.stringify(['in natural order', ...amongEqual, name, orderBy, orderby, apply, compute]))
    .digest('base64url')
    .slice(0, 8);
}

export function skipToken(order: string, end: PageEnd): string {
  return Buffer.from(JSON.stringify([order, end])).toString('base64url');
}

/** Returns the page end in a token; throws 400 for a token of another list or order. */
export function readSkipToken(order: string, token: string): PageEnd {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    throw invalidSkipToken();
  }
  const parsed = tokenContent.safeParse(content);
  if (!parsed.success || parsed.data[0] !== order) throw invalidSkipToken();
  return parsed.data[1];
}

export function invalidSkipToken(): ApiError {
  return new ApiError('InvalidQueryOption', 'The $skiptoken does not belong to this list in this order. Start again without it.', {
    target: '$skiptoken',
  });
}
