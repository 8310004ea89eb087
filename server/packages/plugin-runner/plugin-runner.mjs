import { spawn } from 'node:child_process';
import { required, run, text } from './operation.mjs';

/** Splits arguments into words without a shell; quotes keep a word with spaces together. */
function wordsOf(line) {
  return [...line.matchAll(/(?:"([^"]*)"|'([^']*)'|[^\s"']+)+/g)].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** Exit code of a plugin for the state UNKNOWN. */
const unknown = 3;

await run({
  Plugin: () =>
    new Promise((resolve) => {
      const child = spawn(required('Plugin'), wordsOf(text('Arguments')), { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
      child.once('error', (error) => {
        process.stdout.write(`UNKNOWN - the plugin could not be started (${error.code ?? error.message})\n`);
        process.exitCode = unknown;
        resolve();
      });
      child.once('exit', (code) => {
        process.exitCode = code ?? unknown;
        resolve();
      });
    }),
});
