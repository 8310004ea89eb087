/** The entry point. What only one way of starting needs is loaded by that way alone, so that a script's process stays small. */
import { runScript } from './program/run-script.ts';
import { runScriptArgument } from './program/script-command.ts';
import { agentVersion } from './version.ts';

async function main(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === runScriptArgument) return runScript(rest[0], rest.slice(1));
  if (first === '--check') {
    // The check of the agent's own package: that this executable starts was seen by then.
    process.stdout.write(`${agentVersion}\n`);
    return;
  }
  const { startAgent } = await import('./start-agent.ts');
  const isSupervisor = first === '--supervise';
  await startAgent(isSupervisor ? rest : args, { isSupervisor });
}

void main(process.argv.slice(2));
