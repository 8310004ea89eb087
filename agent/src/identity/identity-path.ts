import { join } from 'node:path';

/** Returns the path of the file with the agent's keys. */
export function identityPath(stateDir: string): string {
  return join(stateDir, 'identity.json');
}
