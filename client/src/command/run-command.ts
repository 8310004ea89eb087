/** Finds the part that was typed, runs it, and turns errors into messages and exit codes. */
import { parseArgs } from 'node:util';
import { createClient } from '../client.ts';
import { CallFailed } from '../send.ts';
import { SignInFailed, tokensOf } from '../sign-in.ts';
import { accountParts } from './account.ts';
import { ExitError, MissingError, OutcomeError, UsageError, type PartContext, type CommandPart, type Surroundings } from './command.ts';
import { completionPart } from './completion.ts';
import { deviceParts } from './devices.ts';
import { fetchParts } from './fetch.ts';
import { listParts } from './lists.ts';
import { mailParts } from './mail.ts';
import { createPrinter } from './print.ts';
import { openSignInStore } from './sign-in-store.ts';
import { tailParts } from './tail.ts';
import { unitParts } from './units.ts';

const parts: readonly CommandPart[] = [
  ...accountParts,
  ...unitParts,
  ...deviceParts,
  ...tailParts,
  ...mailParts,
  ...fetchParts,
  ...listParts,
];
const allParts = [...parts, completionPart(parts)];

/** The exit codes, which scripts rely on. */
export const exitCodes = { done: 0, failed: 1, usage: 2, signIn: 3, forbidden: 4, missing: 5, unreachable: 6 } as const;

const shared = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

const overview = `cloudfit: work units, devices and their data from a command line.

${allParts.map(({ name, usage = '', about }) => `  cloudfit ${`${name} ${usage}`.trim().padEnd(32)} ${about}`).join('\n')}

  --json        the result as JSON
  --help        the options of a command

The server and the token come from cloudfit login, or from CLOUDFIT_SERVER and CLOUDFIT_TOKEN.
Exit codes: 0 done, 1 refused or failed, 2 typed wrongly, 3 not signed in, 4 not allowed, 5 not there, 6 no answer.
`;

function helpOf({ name, usage = '', about, options = {} }: CommandPart): string {
  const lines = Object.entries(options).map(
    ([option, { type, about: does }]) => `  --${option}${type === 'string' ? ' VALUE' : ''}  ${does}`,
  );
  return [`cloudfit ${`${name} ${usage}`.trim()}`, '', about, ...(lines.length > 0 ? ['', ...lines] : []), ''].join('\n');
}

/** The part whose name stands first, and what stands after it. */
function partOf(args: readonly string[]): { part: CommandPart; rest: string[] } | undefined {
  for (const length of [2, 1]) {
    const part = allParts.find(({ name }) => name.split(' ').length === length && name === args.slice(0, length).join(' '));
    if (part) return { part, rest: args.slice(length) };
  }
  return undefined;
}

function typedIn({ name, options = {} }: CommandPart, rest: string[]) {
  const declared = Object.fromEntries(Object.entries(options).map(([option, { type }]) => [option, { type }]));
  try {
    return parseArgs({ args: rest, options: { ...declared, ...shared }, allowPositionals: true });
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${message}. See cloudfit ${name} --help`);
  }
}

/** The client of the token in the environment, or of the stored sign-in. */
async function clientOf({ env, fetch }: Surroundings, store: PartContext['store']) {
  const { CLOUDFIT_TOKEN: token, CLOUDFIT_SERVER: named } = env;
  const stored = await store.read();
  const server = named ?? stored?.server;
  if (named !== undefined && !(URL.canParse(named) && /^https?:$/.test(new URL(named).protocol)))
    throw new UsageError(`CLOUDFIT_SERVER is "${named}", which is no http address such as https://ops.example.com.`);
  if (token !== undefined && token !== '') {
    if (server === undefined) throw new UsageError('CLOUDFIT_SERVER names no server, such as https://ops.example.com.');
    return createClient({ server, token, fetch });
  }
  // The token of a person goes to the server that they signed in to, and to no other.
  if (stored === undefined || (named !== undefined && new URL(named).origin !== new URL(stored.server).origin))
    throw new SignInFailed(
      `You are not signed in${server === undefined ? '' : ` to ${server}`}. Sign in: cloudfit login ${server ?? 'https://...'}`,
    );
  return createClient({ server: stored.server, token: tokensOf(stored, { store: store.write, fetch }), fetch });
}

const statusCodes: Readonly<Record<number, number>> = {
  0: exitCodes.unreachable,
  401: exitCodes.signIn,
  403: exitCodes.forbidden,
  404: exitCodes.missing,
};

function codeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof SignInFailed) return exitCodes.signIn;
  // What is no answer of the API says nothing about what was asked for: it is another server.
  if (error instanceof CallFailed)
    return error.status === 404 && error.code === '' ? exitCodes.failed : (statusCodes[error.status] ?? exitCodes.failed);
  if (error instanceof MissingError) return exitCodes.missing;
  if (error instanceof OutcomeError) return exitCodes.failed;
  if (error instanceof ExitError) return error.code;
  throw error;
}

/** Runs what was typed after `cloudfit`; returns the exit code. */
export async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { out, err, columns, signal } = surroundings;
  const typed = partOf(args);
  if (!typed) {
    const isHelp = args.length === 0 || args.includes('--help') || args.includes('-h');
    if (isHelp) out(overview);
    else {
      const words = args.filter((word) => !word.startsWith('-'));
      const below = allParts.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => `cloudfit ${name}`);
      err(`There is no command ${words.join(' ')}. ${below.length > 0 ? `There are ${below.join(', ')}.` : 'See cloudfit --help'}\n`);
    }
    return isHelp ? exitCodes.done : exitCodes.usage;
  }
  const { part, rest } = typed;
  try {
    const { values, positionals } = typedIn(part, rest);
    if (values.help === true) return (out(helpOf(part)), exitCodes.done);
    const store = openSignInStore(surroundings);
    const options: PartContext['options'] = values;
    const print = createPrinter(values.json === true, columns, out, err);
    await part.run({ words: positionals, options, print, surroundings, store, client: () => clientOf(surroundings, store) });
    return exitCodes.done;
  } catch (error) {
    // Ctrl+C ends a command that goes on; that is how one leaves it.
    if (signal.aborted) return exitCodes.done;
    const code = codeOf(error);
    const more = error instanceof CallFailed && error.status === 401 ? ' Sign in: cloudfit login' : '';
    err(`${error instanceof Error ? error.message : String(error)}${more}\n`);
    return code;
  }
}
