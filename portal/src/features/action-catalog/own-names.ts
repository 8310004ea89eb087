import { parameterNames } from '../../entities/executions/action-parameters.ts';

/** The parameters that the action in the form declares, which its texts may use as placeholders. */
export function ownNames(values: Readonly<Record<string, unknown>>): readonly string[] {
  const names = values['inputParameters'];
  return parameterNames(typeof names === 'string' ? names : '');
}
