/** Runs first in each process that a test starts (`--import`): its sources are the instrumented ones. */
import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSource, reportReached, stateOfChild } from './children.ts';
import { createSwitch } from './switch.ts';

const root = join(import.meta.dirname, '../..');
const state = stateOfChild(process.env);
if (state) {
  const { folder, active, attempt, count } = state;
  globalThis.__mutation = createSwitch(count, active < 0 ? (id) => reportReached(folder, attempt, id) : undefined);
  globalThis.__mutation.active = active;
  registerHooks({
    load(url, context, next) {
      const source = url.startsWith('file:') ? readSource(folder, relative(root, fileURLToPath(url))) : undefined;
      return source === undefined ? next(url, context) : { format: 'module-typescript', source, shortCircuit: true };
    },
  });
}
