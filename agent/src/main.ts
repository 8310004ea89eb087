/** The entry point. Loads the agent's code only to start the agent, so that a process that runs a script stays small. */
import { runScript } from './program/run-script.ts';
import { runScriptArgument } from './program/script-command.ts';
import { agentVersion } from './version.ts';

async function main(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === runScriptArgument) return runScript(rest[0], rest.slice(1));
  if (first === '--check') {
    // The `check` step of the agent's own package: it succeeds because the executable has started.
    process.stdout.write(`${agentVersion}\n`);
    return;
  }
  const { startAgent } = await import('./start-agent.ts');
  const isSupervisor = first === '--supervise';
  await startAgent(isSupervisor ? rest : args, { isSupervisor });
}

void main(process.argv.slice(2));
