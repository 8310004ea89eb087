/** Parses mails within bounds of time and memory: small ones here, large ones in a thread, one at a time. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { linesOf, readContent, UnreadableMail, type MailContent } from './mail-content.ts';

export interface ParsedMail extends MailContent {
  /** The values of a header, the topmost first. */
  header(name: string): readonly string[];
}

/** Above these a mail would hold up other work: a line costs some 10 µs. */
const small = { bytes: 262_144, lines: 4_000 } as const;
const threadMs = 60_000;
const threadMb = 768;

type ThreadAnswer = { content: MailContent } | { unreadable: string };

function inThread(bytes: Buffer): Promise<MailContent> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(import.meta.dirname, 'parse-thread.ts'), {
      workerData: new Uint8Array(bytes),
      resourceLimits: { maxOldGenerationSizeMb: threadMb },
    });
    const end = (error: Error) => {
      clearTimeout(timer);
      reject(error);
      void worker.terminate();
    };
    const timer = setTimeout(() => end(new UnreadableMail(`Reading it takes longer than ${threadMs / 1_000} seconds.`)), threadMs);
    worker.once('message', (answer: ThreadAnswer) => {
      clearTimeout(timer);
      if ('content' in answer) resolve(answer.content);
      else reject(new UnreadableMail(answer.unreadable));
    });
    worker.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new UnreadableMail('Reading it takes too much memory.') : error),
    );
  });
}

/** Ends when the mail before has been parsed. */
let before: Promise<unknown> = Promise.resolve();

/** Parses the bytes of a mail, or the beginning of one. Throws `UnreadableMail`. */
export async function parseMail(bytes: Buffer): Promise<ParsedMail> {
  let content: MailContent;
  if (bytes.length <= small.bytes && linesOf(bytes, small.lines) <= small.lines) content = await readContent(bytes);
  else {
    const turn = before.then(() => inThread(bytes));
    before = turn.catch(() => undefined);
    content = await turn;
  }
  // Of what a thread hands over, buffers arrive as plain arrays of bytes.
  const asBuffer = (part: Uint8Array): Buffer => Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  return {
    ...content,
    key: asBuffer(content.key),
    files: content.files.map((file) => ({ ...file, content: asBuffer(file.content) })),
    header: (name) => content.headers.filter(({ key }) => key === name.toLowerCase()).map(({ value }) => value),
  };
}
