/** Thrown for a rule that cannot be evaluated. The message explains the reason to the author of the rule. */
export class RuleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RuleError';
  }
}
