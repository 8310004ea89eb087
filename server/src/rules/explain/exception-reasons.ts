/** Says which exception of a rule held for an entity, who made it, and why. */
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import type { PastException } from '../past/exceptions.ts';

export function exceptionReasons(exception: PastException | undefined, { why }: ExplanationWords): string[] {
  if (!exception) return [];
  const { appliesTo, tag, entityName, isOff, modifiedBy, reason, until } = exception;
  const name = appliesTo === 'Tag' ? tag : appliesTo === 'Name' ? entityName : null;
  const of = `${why.exceptionOf[appliesTo]}${name === null ? '' : ` ${name}`}`;
  return [(isOff ? why.offByException : why.byException)(of, modifiedBy, reason, until)];
}
