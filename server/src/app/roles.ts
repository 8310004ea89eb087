/** What the roles of the settings mean. */
import type { Config } from '../platform/config.ts';
import { StartError } from '../platform/start-error.ts';

/** Returns the roles of a process: without a stream, there is none to write. */
export function rolesOf({ roles, streamUrl }: Pick<Config, 'roles'> & Partial<Pick<Config, 'streamUrl'>>): Config['roles'] {
  const meant = streamUrl === undefined ? roles.filter((role) => role !== 'ingest') : roles;
  if (meant.length === 0)
    throw new StartError(
      'ROLES is ingest, which writes the stream of STREAM_URL, and STREAM_URL is not set. Set it as in the processes with the role api.',
    );
  return meant;
}
