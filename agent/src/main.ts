/** The entry point. What only one way of starting needs is loaded by that way alone, so that a script's process stays small. */
import { runScript } from './program/run-script.ts';
import { runScriptArgument } from './program/script-command.ts';

async function main(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === runScriptArgument) return runScript(rest[0], rest.slice(1));
  if (first === '--check') {
    const { checkOwnPackage } = await import('./program/own-package.ts');
    return checkOwnPackage(process.cwd());
  }
  const { startAgent } = await import('./start-agent.ts');
  const isSupervisor = first === '--supervise';
  await startAgent(isSupervisor ? rest : args, { isSupervisor });
}

void main(process.argv.slice(2));
