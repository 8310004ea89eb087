/** Runs a script of the project with its Node: `node scripts/with-node.mjs scripts/spec.ts --missing WU`. */
import { ensureInstalled } from './install.mjs';
import { runNode } from './run-node.mjs';
import { programOf } from './server/program.mjs';

const [script, ...args] = process.argv.slice(2);
if (!script) {
  console.error('Name the script to run.');
  process.exit(1);
}
ensureInstalled();
const { file, compileCache } = programOf(script);
runNode(file, args, { compileCache });
