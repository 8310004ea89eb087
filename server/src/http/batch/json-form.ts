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

/** Writes the batch around the answers, whose JSON stays as it is. */
export function writeJson(answers: readonly BatchAnswer[]): { contentType: string; pieces: Buffer[] } {
  const pieces = answers.flatMap(({ id, group, status, headers, body }, i) => {
    const head = JSON.stringify({ id, ...(group === undefined ? {} : { atomicityGroup: group }), status, headers });
    const start = `${i === 0 ? '{"responses":[' : ','}${head.slice(0, -1)}`;
    if (body.length === 0) return [Buffer.from(`${start}}`)];
    const isJson = /^application\/json/i.test(headers['content-type'] ?? '');
    return [Buffer.from(`${start},"body":`), isJson ? body : Buffer.from(JSON.stringify(body.toString())), Buffer.from('}')];
  });
  const ends = Buffer.from(answers.length === 0 ? '{"responses":[]}' : ']}');
  return { contentType: 'application/json; charset=utf-8', pieces: [...pieces, ends] };
}
