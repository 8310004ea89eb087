/** Runs a script of the project with its Node: `node scripts/with-node.mjs scripts/spec.ts --missing WU`. */
import { ensureInstalled } from './install.mjs';
import { runNode } from './run-node.mjs';

const [script, ...args] = process.argv.slice(2);
if (!script) {
  console.error('Name the script to run.');
  process.exit(1);
}
ensureInstalled();
runNode(script, args);
