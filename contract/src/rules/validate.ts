/** The problems of a rule before it is saved, including its patterns. */
import { patternProblem } from './operators.ts';
import { ruleProblems, type RuleDraft, type RuleProblem } from './problems.ts';

/** All problems in the order of the form; empty when the rule may be saved. */
export function validateRule(rule: RuleDraft): RuleProblem[] {
  return ruleProblems(rule, patternProblem);
}
