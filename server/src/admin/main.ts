/** `npm run admin -- COMMAND`: administration on the server without a browser. */
import { text } from 'node:stream/consumers';
import { runAdmin } from './run.ts';

process.exitCode = await runAdmin(process.argv.slice(2), process.env, {
  out: (line) => console.log(line),
  err: (line) => console.error(line),
  readInput: () => text(process.stdin),
});
