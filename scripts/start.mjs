/** `npm start`: installs missing dependencies, builds the portal if it changed, and runs the server. */
import { buildPortal } from './build-portal.mjs';
import { ensureInstalled } from './install.mjs';
import { runNode } from './run-node.mjs';
import { programOf } from './server/program.mjs';

const args = process.argv.slice(2);
ensureInstalled();
if (args.includes('--help') || args.includes('-h')) {
  runNode('scripts/help.ts', []);
} else {
  const failure = buildPortal();
  if (failure) {
    console.error(`${failure}\nThe portal could not be built.`);
    process.exit(1);
  }
  const { file, compileCache } = programOf('server/src/main.ts');
  runNode(file, args, { server: true, compileCache });
}
