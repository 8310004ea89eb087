import { parameterNames } from '../../entities/executions/action-parameters.ts';

/** The parameters that the action of a form declares: placeholders of its own. */
export function ownNames(values: Readonly<Record<string, unknown>>): readonly string[] {
  const names = values['inputParameters'];
  return parameterNames(typeof names === 'string' ? names : '');
}
