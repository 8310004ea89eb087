/** A reason why the process cannot start, written for the person who started it: printed as one line, exit code 1. */
export class StartError extends Error {
  override name = 'StartError';
}
