/** Which processes one command runs. */
import type { Config } from '../../platform/config.ts';
import { rolesOf } from '../roles.ts';
import { StartError } from '../../platform/start-error.ts';

type ProcessRole = Config['roles'][number];

export interface PlannedProcess {
  name: string;
  roles: ProcessRole[];
}

/** How many processes of a role there are beside the others: requests need more than the work behind them. */
const shares: Record<ProcessRole, number> = { api: 3, worker: 1, ingest: 1 };

/** Divides a number of processes among the roles: one each, then by their shares. */
function divide(total: number, roles: readonly ProcessRole[]): Map<ProcessRole, number> {
  if (total < roles.length)
    throw new StartError(`PROCESSES must be 1, or at least ${roles.length}: one for each of ROLES (${roles.join(', ')}).`);
  const counts = new Map(roles.map((role) => [role, 1]));
  const filled = (role: ProcessRole): number => (counts.get(role) ?? 0) / shares[role];
  for (let rest = total - roles.length; rest > 0; rest--) {
    const [next] = roles.toSorted((a, b) => filled(a) - filled(b));
    if (next) counts.set(next, (counts.get(next) ?? 0) + 1);
  }
  return counts;
}

/** Returns the processes that the settings ask for, those with the API first; nothing when this process does everything itself. */
export function planOf({
  processes,
  roles,
  streamUrl,
}: Pick<Config, 'processes' | 'roles'> & Partial<Pick<Config, 'streamUrl'>>): PlannedProcess[] | undefined {
  if (processes === 1) return undefined;
  const counts = typeof processes === 'number' ? divide(processes, [...new Set(rolesOf({ roles, streamUrl }))]) : processes;
  const order = Object.keys(shares);
  return [...counts]
    .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .flatMap(([role, count]) => Array.from({ length: count }, (_, i) => ({ name: `${role}-${i + 1}`, roles: [role] })));
}

/** The fewest connections with which a process does its work: a request reads beside the transaction of another. */
const fewestConnections = 4;

/** Returns how many connections each of the processes may open. */
export const poolOfEach = (total: number, processes: number): number => Math.max(fewestConnections, Math.floor(total / processes));

/** The connections that the embedded PostgreSQL allows: those of all processes, with one each that listens, and some for commands. */
export const connectionsFor = (poolSize: number, processes: number): number => Math.max(60, (poolSize + 1) * processes + 20);
