/** Parses the arguments of `npm run admin`, runs the command and prints its result. */
import { parseArgs } from 'node:util';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { loadConfig } from '../platform/config.ts';
import { StartError } from '../platform/start-error.ts';
import { backup, restore } from './backup.ts';
import { backupVerify } from './backup-verify.ts';
import { commandCtx } from './command-ctx.ts';
import { helpOf, optionsOf, UsageError, type AdminCommand, type CommandResult } from './command.ts';
import { withInstallation } from './connect.ts';
import { configApply, configExport, configPlan } from './configuration/folder-commands.ts';
import { exportFile, importFile } from './configuration/file.ts';
import { demo } from './demo.ts';
import { featureList, featureSet } from './feature.ts';
import { grant } from './grant.ts';
import { licenceInstall, licenceShow } from './licence.ts';
import { personAdd } from './person-add.ts';
import { personAdopt } from './person-adopt.ts';
import { personDisable } from './person-disable.ts';
import { personEmergency } from './person-emergency.ts';
import { personVerify } from './person-verify.ts';
import { personLink } from './person-link.ts';
import { rotateKeys } from './rotate-signing-keys.ts';
import { rotateMasterKey } from './rotate-keys.ts';
import { tenantAdd } from './tenant-add.ts';
import { tokenAdd } from './token-add.ts';

const commands: readonly AdminCommand[] = [
  personAdd,
  personLink,
  personDisable,
  personEmergency,
  personAdopt,
  personVerify,
  grant,
  tokenAdd,
  tenantAdd,
  rotateMasterKey,
  featureList,
  featureSet,
  licenceInstall,
  licenceShow,
  rotateKeys,
  configExport,
  configPlan,
  configApply,
  exportFile,
  importFile,
  backupVerify,
  backup,
  restore,
  demo,
];

export interface Console {
  out(text: string): void;
  err(text: string): void;
  readInput(): Promise<string>;
}

/** Runs the command in `args` and returns the exit code. */
export async function runAdmin(args: readonly string[], env: Record<string, string | undefined>, console: Console): Promise<number> {
  try {
    const command = commands.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' '));
    if (!command) {
      if (args.length === 0 || args[0] === '--help') {
        console.out(overview());
        return 0;
      }
      const positionals = args
        .filter((arg) => !arg.startsWith('-'))
        .slice(0, 2)
        .join(' ');
      throw new UsageError(`There is no command "${positionals || args[0]}"; npm run admin -- --help lists them.`);
    }
    return await runCommand(command, args.slice(command.name.split(' ').length), env, console);
  } catch (error) {
    console.err(explain(error));
    return 1;
  }
}

async function runCommand(
  command: AdminCommand,
  args: readonly string[],
  env: Record<string, string | undefined>,
  console: Console,
): Promise<number> {
  const { values, positionals } = read(command, args);
  if (values['help'] === true) {
    console.out(helpOf(command));
    return 0;
  }
  for (const [name, option] of Object.entries(command.options)) {
    if (option.required && values[name] === undefined)
      throw new UsageError(`--${name} is missing; npm run admin -- ${command.name} --help shows more.`);
  }
  const [operand] = positionals;
  const { operand: expected } = command;
  if (expected && operand === undefined && (expected.insteadOf === undefined || values[expected.insteadOf] === undefined))
    throw new UsageError(`${expected.name} is missing; npm run admin -- ${command.name} --help shows more.`);
  const surplus = positionals[command.operand ? 1 : 0];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is too much; npm run admin -- ${command.name} --help shows more.`);

  const config = loadConfig(env);
  const text = (option: string): string => String(values[option] ?? command.options[option]?.initial ?? '');
  const alone = command.runAlone?.(config, text);
  const result = alone
    ? await alone
    : await withInstallation(config, (db, database, url): Promise<CommandResult> =>
        command.run({
          db,
          database,
          url,
          ctx: () => commandCtx(database),
          config,
          operand: operand ?? '',
          readInput: console.readInput,
          say: console.err,
          isSet: (option) => values[option] !== undefined && values[option] !== false,
          text,
        }),
      );
  console.out(values['json'] === true ? JSON.stringify(result.json) : result.lines.join('\n'));
  return 0;
}

function read(command: AdminCommand, args: readonly string[]): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options: optionsOf(command), allowPositionals: true, strict: true });
  } catch (error) {
    // Only the first sentence, because Node appends advice about `--` to it.
    const [first = ''] = messageOf(error).split(/[.\n]/);
    throw new UsageError(`${first}; npm run admin -- ${command.name} --help shows more.`);
  }
}

/** How many reasons of a refusal are printed. */
const shownReasons = 20;

function explain(error: unknown): string {
  // People who may run commands may see database errors; callers of the API may not.
  if (error instanceof ApiError && error.cause instanceof Error) return `${error.message} (${error.cause.message})`;
  if (error instanceof ApiError && error.details.length > 1) {
    const lines = error.details.slice(0, shownReasons).flatMap(({ message }) => message ?? []);
    const more = error.details.length - lines.length;
    return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
  }
  if (error instanceof StartError || error instanceof ApiError) return error.message;
  const message = messageOf(error);
  const [line = message] = message.split('\n');
  return /ECONN|ENOTFOUND|EAI_AGAIN/.test(line) ? `The database cannot be reached: ${line}.` : line;
}

function overview(): string {
  const widest = Math.max(...commands.map(({ name }) => name.length));
  return [
    'Usage: npm run admin -- COMMAND [OPTIONS]',
    '',
    'Works on the installation that DATA_DIR or DATABASE_URL names, also while its server runs.',
    '',
    ...commands.map(({ name, about }) => `  ${name.padEnd(widest)}  ${about}`),
    '',
    'npm run admin -- COMMAND --help shows more about one of them.',
  ].join('\n');
}
