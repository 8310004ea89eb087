import { placeholderProblem } from '@cloudfit/contract/rules/placeholders.ts';
import { parameterNames } from '../../entities/executions/action-parameters.ts';

interface UnknownNamesProps {
  text: string;
  /** The form's values, with the names of the action's parameters. */
  values: Readonly<Record<string, unknown>>;
}

/** Marks a placeholder that stands for nothing, also in an action that was stored with it. */
export function UnknownNames({ text, values }: UnknownNamesProps) {
  const names = values['inputParameters'];
  const problem = placeholderProblem(text, parameterNames(typeof names === 'string' ? names : ''));
  return problem ? <span className="literal-secret">{problem}</span> : null;
}
