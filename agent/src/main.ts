/** The entry point. What only one way of starting needs is loaded by that way alone, so that a script's process stays small. */
import { runScript } from './program/run-script.ts';
import { runScriptArgument } from './program/script-command.ts';

async function main([first, ...rest]: readonly string[]): Promise<void> {
  if (first === runScriptArgument) return runScript(rest[0], rest.slice(1));
  const { startAgent } = await import('./start-agent.ts');
  await startAgent();
}

void main(process.argv.slice(2));
