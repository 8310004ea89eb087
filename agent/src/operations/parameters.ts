/** The values that a program is started with, from the four sources of parameters. */
import { labelOf, parameterSource, parameterSources } from '@cloudfit/contract/enums.ts';
import { runtimeFacts, type RuntimeFact } from '@cloudfit/contract/agent/runs.ts';
import type { ParameterDefinition, ParameterValue } from '@cloudfit/contract/packages/parameters.ts';

/** Why a run cannot start or has failed, in a sentence for the history of runs. */
export class RunError extends Error {
  override name = 'RunError';
}

export type AgentFacts = Readonly<Record<RuntimeFact, string>>;

/** Whether a variable is a setting of the agent, such as its token; programs do not get these variables. */
export const isOwnVariable = (name: string): boolean => /^CLOUDFIT_/i.test(name);

interface ValueSources {
  env: NodeJS.ProcessEnv;
  facts: AgentFacts;
}

function fromEnvironment(name: string, { Name }: ParameterDefinition, { env }: ValueSources): string | undefined {
  if (isOwnVariable(name))
    throw new RunError(
      `The parameter ${Name} names the environment variable ${name}, which is a setting of the agent and not for programs.`,
    );
  return env[name];
}

function fromFacts(name: string, { Name }: ParameterDefinition, { facts }: ValueSources): string {
  const fact = runtimeFacts.find((runtimeFact) => runtimeFact.toLowerCase() === name.toLowerCase());
  if (!fact) throw new RunError(`The parameter ${Name} names ${name}, which the agent does not know. It knows ${runtimeFacts.join(', ')}.`);
  return facts[fact];
}

/** Returns the values by parameter name, except secured values. Throws `RunError` for a required parameter without a value. */
export function plainValues(
  definitions: readonly ParameterDefinition[],
  assigned: readonly ParameterValue[],
  sources: ValueSources,
): Map<string, string> {
  const values = new Map<string, string>();
  for (const definition of definitions) {
    const { Name, Source, Required, DefaultValue } = definition;
    const stored = assigned.find((candidate) => candidate.Name === Name)?.Value;
    if (Source === parameterSource.securedValue) {
      if (Required && (stored?.length ?? 0) === 0) throw new RunError(`The parameter ${Name} is required and names no secret.`);
      continue;
    }
    const text = typeof stored === 'string' && stored.trim() !== '' ? stored : DefaultValue;
    let value: string | undefined = text;
    if (text.trim() === '') value = undefined;
    else if (Source === parameterSource.environmentVariable) value = fromEnvironment(text.trim(), definition, sources);
    else if (Source === parameterSource.runtimeConfig) value = fromFacts(text.trim(), definition, sources);
    if (value !== undefined && value !== '') values.set(Name, value);
    else if (Required)
      throw new RunError(
        Source === parameterSource.environmentVariable && text.trim() !== ''
          ? `The parameter ${Name} is required, and the environment variable ${text.trim()} is not set on this machine.`
          : `The parameter ${Name} (${labelOf(parameterSources, Source)}) is required and has no value.`,
      );
  }
  return values;
}

export function usesSecrets(assigned: readonly ParameterValue[]): boolean {
  return assigned.some(({ Source, Value }) => Source === parameterSource.securedValue && (Value?.length ?? 0) > 0);
}

/** Returns the environment variable of a secret: `CLOUDFIT_SECRET_API_KEY` for `{Api key}`. */
export function secretVariable(placeholder: string): string {
  const name = placeholder
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  return `CLOUDFIT_SECRET_${name}`;
}
