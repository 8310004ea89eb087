import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentConfiguration, type AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';

/** Stores the last configuration on disk, so that an agent that starts while the server is unreachable measures at once. */
export interface ConfigurationFile {
  read(): AgentConfiguration | undefined;
  write(configuration: AgentConfiguration | undefined): void;
}

export function openConfigurationFile(stateDir: string): ConfigurationFile {
  const file = join(stateDir, 'configuration.json');
  return {
    read: () => {
      try {
        return agentConfiguration.parse(JSON.parse(readFileSync(file, 'utf8')));
      } catch {
        return undefined;
      }
    },
    write: (configuration) => {
      if (configuration === undefined) return rmSync(file, { force: true });
      writeFileSync(`${file}.new`, JSON.stringify(configuration), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}
