import { isSea } from 'node:sea';

/** The argument with which the agent's executable runs a script by the built-in Node. */
export const runScriptArgument = '--run-script';

/** Returns the command that runs a JavaScript file with the Node of the agent; append the arguments of the script. */
export function scriptCommand(file: string): [command: string, ...args: string[]] {
  return isSea() ? [process.execPath, runScriptArgument, file] : [process.execPath, file];
}
