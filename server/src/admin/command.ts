/** The type of a command of `npm run admin`, and its options and help text. */
import type { ParseArgsConfig } from 'node:util';
import { StartError } from '../platform/start-error.ts';
import type { Config } from '../platform/config.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';

export interface Option {
  type: 'string' | 'boolean';
  about: string;
  /** Placeholder for the value in the help text. */
  value?: string;
  required?: boolean;
  initial?: string;
}

export interface AdminCommand {
  /** One or two words, such as `person add`. */
  name: string;
  about: string;
  /** A positional argument, required unless the option in `insteadOf` is set. */
  operand?: { name: string; about: string; insteadOf?: string };
  options: Readonly<Record<string, Option>>;
  /** Called before the database is opened: a command that needs the data folder exclusively does its work here. */
  runAlone?(config: Config, text: (option: string) => string): Promise<CommandResult> | undefined;
  run(context: CommandContext): Promise<CommandResult>;
}

export interface CommandContext {
  db: Db;
  database: Database;
  /** Address of the database, with the credentials of its owner. */
  url: string;
  /** Acts through the engine with all permissions, in the name of the command line. */
  ctx(): Promise<Ctx>;
  config: Config;
  operand: string;
  /** Value of an option; by default its `initial` or ''. */
  text(option: string): string;
  isSet(option: string): boolean;
  readInput(): Promise<string>;
  /** Tells people something before the outcome. */
  say(text: string): void;
}

export interface CommandResult {
  /** Output for people. */
  lines: readonly string[];
  /** Output for programs, with `--json`. */
  json: Readonly<Record<string, unknown>>;
}

/** Invalid arguments: prints one line and exits with code 1. */
export class UsageError extends StartError {
  override name = 'UsageError';
}

export function optionsOf(command: AdminCommand): NonNullable<ParseArgsConfig['options']> {
  const options = Object.entries(command.options).map(([name, option]) => [name, { type: option.type }] as const);
  return { ...Object.fromEntries(options), help: { type: 'boolean' }, json: { type: 'boolean' } };
}

export function helpOf(command: AdminCommand): string {
  const flag = (name: string, option: Option) => (option.type === 'boolean' ? `--${name}` : `--${name} ${option.value ?? 'TEXT'}`);
  const options = Object.entries(command.options);
  const usage = options.map(([name, option]) => (option.required ? flag(name, option) : `[${flag(name, option)}]`));
  const rows: [string, string][] = [
    ...(command.operand ? [[command.operand.name, command.operand.about] satisfies [string, string]] : []),
    ...options.map(([name, option]): [string, string] => [
      flag(name, option),
      option.about + (option.initial ? ` [${option.initial}]` : ''),
    ]),
    ['--json', 'Answer as JSON.'],
    ['--help', 'Show this.'],
  ];
  const widest = Math.max(...rows.map(([left]) => left.length));
  return [
    `Usage: npm run admin -- ${[command.name, command.operand?.name, ...usage].filter(Boolean).join(' ')}`,
    '',
    command.about,
    '',
    ...rows.map(([left, right]) => `  ${left.padEnd(widest)}  ${right}`),
  ].join('\n');
}
