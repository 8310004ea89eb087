/** Runs a JavaScript file as `node FILE` would: the single executable has no other way to run one. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';

/** `file` may be an ES module or CommonJS, by its suffix and the package.json above it. */
export async function runScript(file: string | undefined, args: readonly string[]): Promise<void> {
  if (file === undefined || file === '') {
    process.stderr.write('cloudfit-agent: --run-script needs the file of a script.\n');
    process.exitCode = 1;
    return;
  }
  const path = resolve(file);
  process.argv = [process.execPath, path, ...args];
  // Inside the single executable `import()` finds only built-in modules. An `import()` in code that is compiled at run time
  // uses Node's own loader, which finds files.
  const load = new Script('(url) => import(url)', { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER });
  // Hides Node's warning that this loader is experimental, which does not concern the reader of a script's output.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  const loading = (load.runInThisContext() as (url: string) => Promise<unknown>)(pathToFileURL(path).href);
  process.emitWarning = emitWarning;
  await loading;
}
