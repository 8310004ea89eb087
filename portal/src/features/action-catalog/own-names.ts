import { parameterNames } from '../../entities/executions/action-parameters.ts';

/** Returns the parameters that the action in the form declares. The action's texts may use these names as placeholders. */
export function ownNames(values: Readonly<Record<string, unknown>>): readonly string[] {
  const names = values['inputParameters'];
  return parameterNames(typeof names === 'string' ? names : '');
}
