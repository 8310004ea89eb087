/** What a part of the command `cloudfit` is, and what it works with. */
import type { CloudFitClient } from '../client.ts';
import type { StoredSignIn } from '../sign-in.ts';
import type { Printer } from './print.ts';

/** An option of a part: `--top 20`, or `--json` without a value. */
export interface CommandOption {
  type: 'string' | 'boolean';
  about: string;
  /** Values that the shell offers. */
  choices?: readonly string[];
}

/** The values of the options, checked by their type. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** What the process gives the command. Tests give their own. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof globalThis.fetch;
  /** Reads the standard input to its end. */
  readIn: () => Promise<Uint8Array<ArrayBuffer>>;
  out: (text: string) => void;
  err: (text: string) => void;
  /** The width of the terminal; undefined when the output goes elsewhere. */
  columns: number | undefined;
  signal: AbortSignal;
  platform: string;
  home: string;
}

export interface PartContext {
  /** The words after the name of the part. */
  words: readonly string[];
  options: OptionValues;
  print: Printer;
  surroundings: Surroundings;
  /** The client of the server that the environment or the last sign-in names. Throws `UsageError` when none does. */
  client: () => Promise<CloudFitClient>;
  /** Where the sign-in is stored. */
  store: { read: () => Promise<StoredSignIn | undefined>; write: (stored: StoredSignIn) => Promise<void>; remove: () => Promise<boolean> };
}

export interface CommandPart {
  /** Its name, of one or two words: `units list`. */
  name: string;
  /** What stands after the name: `NUMBER... TEXT`. */
  usage?: string;
  about: string;
  options?: Readonly<Record<string, CommandOption>>;
  run: (context: PartContext) => Promise<void>;
}

/** A command that was typed wrongly; the exit code is 2. */
export class UsageError extends Error {}

/** Work that the server did, with an outcome that scripts have to see; the exit code is 1. */
export class OutcomeError extends Error {}

/** What was named is not there, or not for this caller; the exit code is 5. */
export class MissingError extends Error {}

/** A failure with an exit code that whoever starts the command understands. */
export class ExitError extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** The text of an option; undefined when it is absent. */
export const textOption = ({ options }: Pick<PartContext, 'options'>, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

/** A whole number from 1 that an option has. */
export function countOption(context: Pick<PartContext, 'options'>, name: string, otherwise: number, max: number): number {
  const text = textOption(context, name);
  if (text === undefined) return otherwise;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > max) throw new UsageError(`--${name} is a number from 1 to ${max}, not ${text}.`);
  return count;
}
