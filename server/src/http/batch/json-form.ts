/** A batch as JSON (OData JSON format 4.01, section 19). */
import { z } from 'zod';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { plainIssue } from '@cloudfit/contract/plain-issues.ts';
import type { BatchAnswer, BatchPart } from './parts.ts';

const batch = z.object({
  requests: z.array(
    z.object({
      id: z.string().min(1),
      method: z.string(),
      url: z.string(),
      headers: z.record(z.string(), z.string()).default({}),
      body: z.optional(z.unknown()),
      atomicityGroup: z.string().optional(),
      dependsOn: z.array(z.string()).default([]),
    }),
  ),
});

export function readJson(body: unknown): BatchPart[] {
  const parsed = batch.safeParse(body, { error: plainIssue });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ApiError('InvalidBody', `The batch cannot be read: ${issue?.message ?? 'it is not valid.'}`, {
      target: issue?.path.join('.'),
    });
  }
  return parsed.data.requests.map(({ id, method, url, headers, body, atomicityGroup, dependsOn }) => {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    return {
      id,
      method: method.toUpperCase(),
      url,
      headers: body === undefined ? lower : { 'content-type': 'application/json', ...lower },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      group: atomicityGroup,
      dependsOn,
    };
  });
}

export function writeJson(answers: readonly BatchAnswer[]): { contentType: string; text: string } {
  const responses = answers.map(({ id, group, status, headers, body }) => ({
    id,
    ...(group === undefined ? {} : { atomicityGroup: group }),
    status,
    headers,
    ...(body === '' ? {} : { body: /^application\/json/i.test(headers['content-type'] ?? '') ? (JSON.parse(body) as unknown) : body }),
  }));
  return { contentType: 'application/json; charset=utf-8', text: JSON.stringify({ responses }) };
}
