/** Uploads files with progress, which `fetch` does not report. */
import type { AnyCall, CallInput, CallOutput } from '@cloudfit/contract/call.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { RequestFailed, sendSigned } from './client.ts';
import { sentBy } from '@cloudfit/contract/client/sent-call.ts';
import { noteSilence } from './connection.ts';
import { impersonationHeaders } from './see-as.ts';

interface UploadOptions {
  signal: AbortSignal;
  /** The percentage that has been sent. */
  onProgress: (percent: number) => void;
}

function sendForm(path: string, form: FormData, token: string | undefined, { signal, onProgress }: UploadOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    // Also while the token was renewed: a signal that has aborted notifies nobody.
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('accept', 'application/json');
    for (const [name, value] of Object.entries(impersonationHeaders())) request.setRequestHeader(name, value);
    if (token) request.setRequestHeader('authorization', `Bearer ${token}`);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(Math.floor((event.loaded / event.total) * 100));
    };
    request.onload = () => resolve(new Response(request.status === 204 ? null : request.responseText, { status: request.status }));
    request.onerror = () => {
      noteSilence();
      reject(new RequestFailed(0, en.failure.network));
    };
    request.onabort = () => reject(new DOMException('Stopped', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

/** Uploads a form. Throws `RequestFailed` like every call, and an `AbortError` when `signal` aborts. */
export async function upload<T>(path: string, form: FormData, options: UploadOptions): Promise<T> {
  const answer = await sendSigned((token) => sendForm(path, form, token, options));
  return (await answer.json()) as T;
}

/** Uploads a form by a declared call; its input is in the address. */
export function uploadBy<C extends AnyCall>(to: C, input: CallInput<C>, form: FormData, options: UploadOptions): Promise<CallOutput<C>> {
  return upload(sentBy(to, input).path, form, options);
}
