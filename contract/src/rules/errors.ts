/** A rule that cannot be evaluated. The message explains the reason to its author. */
export class RuleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RuleError';
  }
}
