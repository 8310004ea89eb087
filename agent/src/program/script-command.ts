import { isSea } from 'node:sea';

/** The argument of the agent's own program that runs a script by its Node. */
export const runScriptArgument = '--run-script';

/** How the agent runs a JavaScript file by its own Node: the command and its first arguments; those of the script follow. */
export function scriptCommand(file: string): [command: string, ...args: string[]] {
  return isSea() ? [process.execPath, runScriptArgument, file] : [process.execPath, file];
}
