/** A rule that cannot be evaluated; the message says why in words for the person who wrote it. */
export class RuleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RuleError';
  }
}
