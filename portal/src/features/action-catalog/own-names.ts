import type { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { parameterNames } from '../../entities/executions/action-parameters.ts';
import type { FormValues } from '../../rows/row.ts';

/** Returns the parameters that the action in the form declares. The action's texts may use these names as placeholders. */
export function ownNames({ inputParameters: names }: FormValues<typeof actionDefinitions>): readonly string[] {
  return parameterNames(typeof names === 'string' ? names : '');
}
