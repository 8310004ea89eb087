/** One connection to the stream of changes (`GET /v1/changes`), until it ends or falls silent. */
import type { ChangeEvent } from '@cloudfit/contract/actions/live.ts';
import { readEvents } from '@cloudfit/contract/client/event-stream.ts';
import { noteAnswer, noteSilence } from './connection.ts';
import { accessToken } from './session.ts';

/** Limits for the head of the answer, and between two messages: the server sends its position every 20 seconds. */
const headMs = 15_000;
const silentMs = 50_000;

/** A position in the stream, and the change at it; without a change the position alone. */
export interface StreamMessage {
  id?: string | undefined;
  change?: ChangeEvent | undefined;
}

interface StreamOptions {
  /** The position after which the stream continues; without one, the changes of the last `seconds` come first. */
  after: string | undefined;
  seconds: number;
  signal: AbortSignal;
  onOpen: () => void;
  onMessage: (message: StreamMessage) => void;
}

/** Reads the stream. Resolves when the server ends it; rejects when it cannot be opened, breaks off or is silent for too long. */
export async function readChanges({ after, seconds, signal, onOpen, onMessage }: StreamOptions): Promise<void> {
  const token = await accessToken();
  const ended = new AbortController();
  const end = () => ended.abort();
  signal.addEventListener('abort', end);
  let timer = setTimeout(end, headMs);
  try {
    const answer = await fetch(after === undefined ? `/v1/changes?seconds=${seconds}` : '/v1/changes', {
      headers: {
        accept: 'text/event-stream',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(after ? { 'last-event-id': after } : {}),
      },
      signal: ended.signal,
    });
    if (!answer.ok || !answer.body) throw new Error(`The change stream answered ${answer.status}.`);
    noteAnswer();
    onOpen();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let buffer = '';
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(end, silentMs);
      const { done, value } = await reader.read();
      if (done) return;
      noteAnswer();
      buffer = readEvents(buffer + value, (id, data) => onMessage({ id, change: data ? (JSON.parse(data) as ChangeEvent) : undefined }));
    }
  } catch (error) {
    if (!signal.aborted) noteSilence();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
