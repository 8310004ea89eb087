/** The arguments of `npm start -- ...`: settings in another form. */
import { parseArgs } from 'node:util';
import { StartError } from './start-error.ts';

/** Returns the settings that the arguments give. They win over the environment. */
export function environmentOf(args: readonly string[]): Record<string, string> {
  try {
    const { values } = parseArgs({ args: [...args], options: { processes: { type: 'string' } } });
    return values.processes === undefined ? {} : { PROCESSES: values.processes };
  } catch {
    throw new StartError(`npm start -- knows --processes, as in --processes 4, and --help; not "${args.join(' ')}".`);
  }
}
