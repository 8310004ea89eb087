/** The manifest `cloudfit.json` at the root of a package's zip: what the package is and what it can do (docs/PACKAGES.md). */
import { z } from 'zod';
import {
  executableTypes,
  frequencyTypes,
  operatingSystems,
  operationOutputs,
  operationResultTypes,
  operationTypes,
  packageTypes,
  parameterSource,
  parameterSources,
} from '../enums.ts';
import { messageOf } from '../errors.ts';
import { oneLinePattern } from '../one-line.ts';
import { durationSchema } from '../resource.ts';
import { operationIntervalMinSeconds } from '../resources/device-operations.ts';
import type { ParameterDefinition } from './parameters.ts';

export const manifestName = 'cloudfit.json';
export const manifestMaxBytes = 262_144;

/** The maximum number of files and of unpacked bytes of a zip; server and agents refuse a zip with more. */
export const zipLimits = { files: 10_000, unpackedBytes: 2 * 1024 ** 3 };

/** `major.minor.patch` with an optional pre-release tag, as SemVer 2 writes it; without build metadata. */
const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?$/;

/** A choice that the manifest writes as a name and the server stores as a number. */
function named(choices: readonly { value: number; label: string }[]) {
  const labels = choices.map((choice) => choice.label);
  return z
    .string({ error: `must be one of ${labels.join(', ')}` })
    .refine((label) => labels.includes(label), `must be one of ${labels.join(', ')}`)
    .transform((label) => choices.find((choice) => choice.label === label)?.value ?? 0);
}

const line = (max: number) =>
  z
    .string({ error: 'must be text' })
    .trim()
    .min(1, 'is empty')
    .max(max, `is longer than ${max} characters`)
    .regex(oneLinePattern, 'has a character that is not allowed');
const prose = z
  .string({ error: 'must be text' })
  .max(4_000, 'is longer than 4000 characters')
  .regex(/^[^\0]*$/, 'has a character that is not allowed');

const parameter = z
  .strictObject({
    name: line(200),
    description: prose.default(''),
    required: z.boolean({ error: 'must be true or false' }).default(false),
    source: named(parameterSources).default(1),
    default: prose.default(''),
  })
  .transform((p): ParameterDefinition => ({
    Name: p.name,
    Description: p.description.slice(0, 1_000),
    Required: p.required,
    Source: p.source,
    DefaultValue: p.default,
  }));

/** Whether names are unique, ignoring case. Skips missing and invalid names, which the check of each item reports. */
function areUnique(names: readonly (string | undefined)[]): boolean {
  const lowerNames = names.filter((name) => typeof name === 'string').map((name) => name.toLowerCase());
  return new Set(lowerNames).size === lowerNames.length;
}

const parameters = z
  .array(parameter, { error: 'must be a list' })
  .max(100, 'has more than 100 parameters')
  .refine((list) => areUnique(list.map((p) => p?.Name)), 'has two parameters of one name')
  .default([]);

const interval = z
  .string()
  .pipe(durationSchema)
  .refine((text) => {
    const [h = 0, m = 0, s = 0] = text.split(':').map(Number);
    return h * 3_600 + m * 60 + s >= operationIntervalMinSeconds;
  }, `is shorter than ${operationIntervalMinSeconds} seconds`);

const placeholder = /\{([\p{L}_][^{}]*)\}/gu;

/** Returns the names of the parameters that an argument refers to. */
export function placeholdersIn(argument: string): string[] {
  return [...argument.matchAll(placeholder)].map(([, name = '']) => name);
}

/** Replaces the placeholders of an argument by values; undefined when a placeholder has no value. */
export function fillPlaceholders(argument: string, valueOf: (name: string) => string | undefined): string | undefined {
  if (placeholdersIn(argument).some((name) => valueOf(name) === undefined)) return undefined;
  return argument.replaceAll(placeholder, (_, name: string) => valueOf(name) ?? '');
}

const operationFields = z.strictObject({
  name: line(200),
  description: prose.default(''),
  type: named(operationTypes).default(0),
  result: named(operationResultTypes).default(1),
  frequencies: z
    .array(named(frequencyTypes), { error: 'must be a list' })
    .min(1, 'is empty')
    .max(frequencyTypes.length, 'names one twice')
    .refine((list) => new Set(list).size === list.length, 'names one twice')
    .default([1, 2]),
  defaultInterval: interval.default('00:05:00'),
  parameters,
  /** The arguments with which the program is started; `{Name}` is the value of a parameter. */
  arguments: z
    .array(
      z
        .string({ error: 'must be text' })
        .max(4_000, 'is longer than 4000 characters')
        .regex(/^[^\0]*$/, 'has a character that is not allowed'),
      {
        error: 'must be a list',
      },
    )
    .max(200, 'has more than 200 arguments')
    .default([]),
  output: z.enum(operationOutputs, { error: `must be one of ${operationOutputs.join(', ')}` }).default('text'),
  timeLimit: z
    .string()
    .pipe(durationSchema)
    .refine((text) => text !== '00:00:00', 'must be longer than zero')
    .default('00:01:00'),
  /** Whether processes that the program leaves running go on after it. */
  keepRunning: z.boolean({ error: 'must be true or false' }).default(false),
});

const operation = operationFields.superRefine((it, ctx) => {
  for (const [index, argument] of it.arguments.entries()) {
    for (const name of placeholdersIn(argument)) {
      const definition = it.parameters.find((parameter) => parameter.Name === name);
      const path = ['arguments', index];
      if (!definition) ctx.addIssue({ code: 'custom', path, message: `names {${name}}, which is not a parameter of the operation` });
      // Every user of a machine can read the arguments of running programs, so no argument may contain a secret.
      else if (definition.Source === parameterSource.securedValue)
        ctx.addIssue({ code: 'custom', path, message: `names {${name}}, which is a secured value: read it from the environment` });
    }
  }
});

/** A run of the package's executable to install, check or remove the package. */
const step = z.strictObject({
  arguments: z
    .array(z.string({ error: 'must be text' }).max(4_000, 'is longer than 4000 characters'), { error: 'must be a list' })
    .max(100),
  timeLimit: z.string().pipe(durationSchema).default('00:05:00'),
});
export type InstallationStep = z.output<typeof step>;

export const packageManifest = z.strictObject({
  name: line(200),
  version: z
    .string({ error: 'must be text' })
    .max(100, 'is longer than 100 characters')
    .regex(semver, 'must be a version as 1.2.3 or 1.2.3-beta1 (SemVer 2, without build metadata)'),
  description: prose.default(''),
  type: named(packageTypes),
  executable: line(200).regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\\]*$/, 'must be a path inside the zip, with / between folders'),
  executableType: named(executableTypes),
  /** Default: every operating system. */
  operatingSystems: z
    .array(named(operatingSystems.filter((os) => os.value !== 0)), { error: 'must be a list' })
    .min(1, 'is empty')
    .transform((values) => [...new Set(values)].reduce((sum, value) => sum + value, 0))
    .optional(),
  referenceUrl: z
    .url({ protocol: /^https?$/, error: 'must be an address that starts with http' })
    .max(500, 'is longer than 500 characters')
    .optional(),
  parameters,
  /** Runs after the package is unpacked; may run again after an interruption. */
  install: step.optional(),
  /** Runs before the package is removed, and after an `install` or `check` that failed. */
  uninstall: step.optional(),
  /** Checks the installed package: exit code 0 if it works; after another code, the previous version is used again. */
  check: step.optional(),
  operations: z
    .array(operation, { error: 'must be a list' })
    .max(200, 'has more than 200 operations')
    .refine((list) => areUnique(list.map((o) => o?.name)), 'has two operations of one name')
    .default([]),
});

export type PackageManifest = z.output<typeof packageManifest>;

export interface ManifestFault {
  /** A path such as `operations[0].name`; empty for the manifest as a whole. */
  field: string;
  message: string;
}

/** Parses a manifest; returns its content, or all its problems. */
export function parseManifest(text: string): { manifest: PackageManifest } | { faults: ManifestFault[] } {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { faults: [{ field: '', message: `is not JSON: ${messageOf(error)}` }] };
  }
  const parsed = packageManifest.safeParse(json);
  if (parsed.success) return { manifest: parsed.data };
  return {
    faults: parsed.error.issues.map((issue) => {
      const field = issue.path.reduce<string>(
        (at, key) => (typeof key === 'number' ? `${at}[${key}]` : at ? `${at}.${String(key)}` : String(key)),
        '',
      );
      if (issue.code === 'unrecognized_keys')
        return { field, message: `has the unknown ${issue.keys.length > 1 ? 'fields' : 'field'} ${issue.keys.join(', ')}` };
      const missing = issue.code === 'invalid_type' && valueAt(json, issue.path) === undefined;
      return { field, message: missing ? 'is missing' : issue.message };
    }),
  };
}

function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    json,
  );
}
