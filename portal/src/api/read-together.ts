/**
 * Reads that belong together and begin at the same moment go to the server as one batch: a browser and a server spend more on ten calls
 * than on one. Each part has the rights and the error of a call of its own.
 */
import { answerMs, callJson, request, RequestFailed, sendSigned, type CallOptions } from './client.ts';
import { currentImpersonation } from './see-as.ts';

interface WaitingRead {
  path: string;
  options: CallOptions;
  resolve: (answer: Response) => void;
  reject: (reason: unknown) => void;
}

interface PartAnswer {
  id: string;
  status: number;
  body?: unknown;
}

let waiting: WaitingRead[] = [];

async function sendAlone({ path, options, resolve, reject }: WaitingRead): Promise<void> {
  await request(path, { limitMs: answerMs, ...options }).then(resolve, reject);
}

async function sendBatch(reads: readonly WaitingRead[]): Promise<void> {
  const requests = reads.map(({ path, options: { method = 'GET', body } }, at) => ({
    id: String(at),
    method,
    url: path,
    ...(body === undefined ? {} : { body }),
  }));
  try {
    const { responses } = await callJson<{ responses: readonly PartAnswer[] }>('/v1/$batch', {
      method: 'POST',
      body: { requests },
      prefer: 'continue-on-error',
      limitMs: answerMs,
      quiet: true,
    });
    const answers = new Map(responses.map((answer) => [answer.id, answer]));
    for (const [at, { resolve, reject }] of reads.entries()) {
      const answer = answers.get(String(at));
      if (!answer) reject(new RequestFailed(0, ''));
      else resolve(new Response(answer.status === 204 ? null : JSON.stringify(answer.body), { status: answer.status }));
    }
  } catch (error) {
    for (const { reject } of reads) reject(error);
  }
}

function sendWaiting(): void {
  const reads = waiting.filter(({ options }) => !options.signal?.aborted);
  waiting = [];
  const [first] = reads;
  if (first) void (reads.length === 1 ? sendAlone(first) : sendBatch(reads));
}

function enqueue(path: string, options: CallOptions): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  if (waiting.length === 0) setTimeout(sendWaiting);
  waiting.push({ path, options, resolve, reject });
  options.signal?.addEventListener('abort', () => reject(options.signal?.reason), { once: true });
  return promise;
}

/** Reads JSON with the other reads of this moment. Whoever sees the portal as another person may send no batch, so each read is alone. */
export async function readTogether<T>(path: string, options: CallOptions = {}): Promise<T> {
  if (currentImpersonation() !== undefined) return callJson<T>(path, options);
  const answer = await sendSigned(() => enqueue(path, options), options.quiet);
  return (await answer.json()) as T;
}
