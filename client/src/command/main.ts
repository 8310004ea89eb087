/** The command `cloudfit`. */
import { homedir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { runCommand } from './run-command.ts';

const leaving = new AbortController();
process.once('SIGINT', () => leaving.abort());
process.once('SIGTERM', () => leaving.abort());
// Whoever reads the output may stop reading, as `head` does.
process.stdout.on('error', () => process.exit(0));

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  fetch: globalThis.fetch,
  readIn: async () => new Uint8Array(await buffer(process.stdin)),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  signal: leaving.signal,
  platform: process.platform,
  home: homedir(),
});
