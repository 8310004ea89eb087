/** A process that reads mailboxes, to be killed: `node mailbox-reader.ts DATABASE FOLDER PASSWORD`. */
import { join } from 'node:path';
import pino from 'pino';
import { openDatabase } from '../../db/connection.ts';
import { folderStore } from '../../features/packages/folder-store.ts';
import { readMailboxes } from '../../intake/mail/read-mailboxes.ts';
import { mailTaker } from '../../intake/mail/take-mail.ts';
import { imapClient } from '../../outbound/imap.ts';
import { registerServed } from '../../resources/served.ts';
import { served } from '../../app/served.ts';

const [url = '', folder = '', password = ''] = process.argv.slice(2);
const database = openDatabase({ url, max: 4, process: '0.0.0 worker test:2', onError: () => undefined });
await registerServed(database, served);
const open = imapClient({ allow: ['127.0.0.1', 'localhost'] });
readMailboxes({
  database,
  log: pino({ level: 'silent' }),
  open: (box) => open({ ...box, credential: { password } }),
  taker: mailTaker({ store: folderStore(join(folder, 'stored')), incoming: join(folder, 'incoming'), maxFileBytes: 1_000_000 }),
  turnMs: 200,
});
console.log('reading');
