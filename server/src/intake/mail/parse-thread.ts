/** The thread that parses one large mail and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { readContent, UnreadableMail } from './mail-content.ts';

try {
  const bytes = workerData as Uint8Array;
  parentPort?.postMessage({ content: await readContent(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) });
} catch (error) {
  if (!(error instanceof UnreadableMail)) throw error;
  parentPort?.postMessage({ unreadable: error.message });
}
