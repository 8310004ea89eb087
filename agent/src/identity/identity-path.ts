import { join } from 'node:path';

/** The file of the agent's keys. */
export function identityPath(stateDir: string): string {
  return join(stateDir, 'identity.json');
}
