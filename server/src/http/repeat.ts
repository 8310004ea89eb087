/** Creates with an `Idempotency-Key`: a repeat creates nothing and gets the same answer. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { inTransaction, type Ctx } from '../context/ctx.ts';
import { header, type ApiAnswer, type ApiRequest } from './answer.ts';
import { networkOf } from '../platform/network.ts';

const names = ['idempotency-key', 'repeatability-request-id'] as const;

function keyOf(request: ApiRequest): { name: string; key: string } | undefined {
  const name = names.find((name) => request.headers[name] !== undefined);
  const key = name && header(request, name);
  if (!name || key === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return { name, key };
  throw new ApiError('InvalidBody', 'The key is 1 to 255 visible characters, such as a GUID.', { target: name });
}

/** Throws if a request that makes several calls has a key: which of them would it be for? */
export function refuseKey(headers: ApiRequest['headers']): void {
  const name = names.find((name) => headers[name] !== undefined);
  if (name !== undefined)
    throw new ApiError('InvalidBody', 'A batch takes no key for all its calls. Send a key in the headers of each call that creates.', {
      target: name,
    });
}

function seal(secret: Buffer, answer: ApiAnswer): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]);
}

function open(secret: Buffer, sealed: Buffer): ApiAnswer {
  const decipher = createDecipheriv('aes-256-gcm', secret, sealed.subarray(0, 12)).setAuthTag(sealed.subarray(12, 28));
  return JSON.parse(Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString()) as ApiAnswer;
}

// A second call with the same key waits here for the transaction of the first. A key older than a day counts as new.
const claim = `insert into repeatable_answer as r (request_key, request_hash) values ($1, $2)
  on conflict (request_key) do update set request_hash = excluded.request_hash, answer = null, created = now()
  where r.created < now() - interval '24 hours' returning 1`;

/**
 * Runs a create and stores its key in one transaction. The same caller with the same key and request gets the first
 * answer again; another request with that key is 409.
 */
export async function answerOnce(ctx: Ctx, request: ApiRequest, work: (ctx: Ctx) => Promise<ApiAnswer>): Promise<ApiAnswer> {
  const idempotencyKey = keyOf(request);
  if (!idempotencyKey) return work(ctx);
  const { kind, id } = ctx.actor;
  const secret = `${kind} ${id ?? networkOf(ctx.address)} ${idempotencyKey.key}`;
  const requestKey = createHash('sha256').update(secret).digest();
  const { method, path, rawQuery, body } = request;
  const [, root, ...segments] = path.toLowerCase().split('/');
  const content = JSON.stringify([method, root, segments.join('/'), rawQuery, body]);
  const requestHash = createHash('sha256').update(content).digest();
  const cipherKey = Buffer.from(hkdfSync('sha256', secret, requestHash, 'repeatable answer', 32));
  return inTransaction(ctx, async (ctx) => {
    const claimed = await ctx.db.query({ text: claim, values: [requestKey, requestHash] });
    if (claimed.length > 0) {
      const answer = await work(ctx);
      if (idempotencyKey.name === 'repeatability-request-id') answer.headers = { ...answer.headers, 'repeatability-result': 'accepted' };
      await ctx.db.defer({
        text: 'update repeatable_answer set answer = $2 where request_key = $1',
        values: [requestKey, seal(cipherKey, answer)],
      });
      return answer;
    }
    const [first] = await ctx.db.query<{ same: boolean; answer: Buffer | null }>({
      text: 'select request_hash = $2 as same, answer from repeatable_answer where request_key = $1',
      values: [requestKey, requestHash],
    });
    if (!first?.same || !first.answer)
      throw new ApiError('Conflict', 'This key was used for another request. Send a new key with a new request.', {
        target: idempotencyKey.name,
      });
    return open(cipherKey, first.answer);
  });
}
