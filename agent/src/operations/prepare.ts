/** Prepares what the program of an operation needs before it starts. */
import { agentSecrets, type AgentSecrets } from '@cloudfit/contract/agent/runs.ts';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { maskOf, notKept } from '@cloudfit/contract/secret-traces.ts';
import { apiMessageOf, type Client } from '../connection/client.ts';
import type { InstalledPackage, InstalledPackages } from '../packages/installed.ts';
import { packageCommand } from '../packages/package-command.ts';
import { argumentsOf } from './command.ts';
import { isOwnVariable, plainValues, RunError, secretVariable, usesSecrets, type AgentFacts } from './parameters.ts';
import { runVariable } from './process-tree.ts';

export type AgentOperation = AgentConfiguration['operations'][number];
export type ManifestOperation = InstalledPackage['manifest']['operations'][number];

export interface PreparedProgram {
  operation: ManifestOperation;
  packageVersionId: string;
  command: string[];
  env: NodeJS.ProcessEnv;
  folder: string;
  /** Replaces secrets in a text; undefined when the text must not be stored at all. */
  mask: (text: string) => string | undefined;
}

export interface PrepareParts {
  installed: InstalledPackages;
  client: Client;
  facts: () => AgentFacts;
}

interface PreparedRun {
  runId: string;
  /** The operation's last run whose result was stored. */
  lastRunId: string | undefined;
  /** A folder that the program may make; it is removed at the end of the run. */
  runFolder: string;
  /** The folder for what a listener hears; only of a process that is kept alive. */
  itemFolder?: string;
}

/** The maximum milliseconds that a run waits for its secured values. */
const secretsMs = 15_000;

function declaredOperation(installedPackage: InstalledPackage, name: string): ManifestOperation {
  const operation = installedPackage.manifest.operations.find((operation) => operation.name.toLowerCase() === name.toLowerCase());
  if (!operation)
    throw new RunError(`Version ${installedPackage.version} of the package ${installedPackage.manifest.name} has no operation ${name}.`);
  return operation;
}

/** Fetches the secured values of an operation, before each run, because they are never stored on disk. */
async function fetchSecrets({ client }: PrepareParts, id: string, signal: AbortSignal): Promise<AgentSecrets['value']> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(secretsMs)]);
  const answer = await client.request('POST', '/v1/agent/secrets', limited, { body: { deviceOperationId: id } });
  if (answer === null) throw new RunError('The secured values could not be fetched: the server does not answer.');
  const parsed = agentSecrets.safeParse(answer.body);
  if (answer.status !== 200 || !parsed.success)
    throw new RunError(`The server does not give the secured values: ${detailOf(answer.body) || `status ${answer.status}`}`);
  return parsed.data.value;
}

/** Returns the reasons in an error answer, which lists each invalid value; without a list, its message. */
function detailOf(body: unknown): string {
  const details = (body as { error?: { details?: unknown } } | null)?.error?.details;
  const texts = Array.isArray(details) ? details.map((detail) => (detail as { message?: unknown }).message) : [];
  return texts.filter((text) => typeof text === 'string').join(' ') || apiMessageOf(body);
}

export async function prepare(
  parts: PrepareParts,
  deviceOperation: AgentOperation,
  { runId, lastRunId = '', runFolder, itemFolder }: PreparedRun,
  signal: AbortSignal,
): Promise<PreparedProgram> {
  const installedPackage = parts.installed.find(deviceOperation.packageId);
  if (!installedPackage)
    throw new RunError(`The package ${deviceOperation.packageName ?? deviceOperation.packageId} is not installed on this machine.`);
  const operation = declaredOperation(installedPackage, deviceOperation.operation);
  const values = plainValues(operation.parameters, deviceOperation.parameters, { env: process.env, facts: parts.facts() });
  const secrets = usesSecrets(deviceOperation.parameters) ? await fetchSecrets(parts, deviceOperation.deviceOperationId, signal) : [];
  const mask = maskOf(secrets.map((secret) => secret.value).filter((value) => value !== ''));
  return {
    operation,
    packageVersionId: installedPackage.packageVersionId,
    command: [...packageCommand(installedPackage), ...argumentsOf(operation.arguments, values)],
    folder: installedPackage.folder,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOwnVariable(name))),
      CLOUDFIT_OPERATION: operation.name,
      CLOUDFIT_DEVICE_OPERATION: deviceOperation.deviceOperationId,
      CLOUDFIT_LAST_RUN: lastRunId,
      CLOUDFIT_PARAMETERS: JSON.stringify(Object.fromEntries(values)),
      ...Object.fromEntries(secrets.map(({ placeholder, value }) => [secretVariable(placeholder), value])),
      [runVariable]: runId,
      CLOUDFIT_RUN_FOLDER: runFolder,
      ...(itemFolder === undefined ? {} : { CLOUDFIT_ITEMS: itemFolder }),
    },
    mask: (text) => {
      if (secrets.length === 0) return text;
      const masked = mask(text);
      return masked === notKept ? undefined : masked;
    },
  };
}
