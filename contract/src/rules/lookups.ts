/** Responses to the rule editor's lookup calls: rows of `{id, name}` with further properties for the form. */
import { ruleTypes } from '../enums.ts';
import type { Choice } from '../resource.ts';
import { operatorForms } from './operator-forms.ts';
import { operandOf, operandTable, type OperandInput } from './operands.ts';
import type { OccurrencePattern } from './schema.ts';

export interface LookupRow<T extends number | string = number> {
  id: T;
  name: string;
}

/** `GET /generalLookup/ruletypes` */
export const ruleTypeLookup: readonly LookupRow[] = ruleTypes.map((type) => ({ id: type.value, name: type.label }));

export interface OperatorRow extends LookupRow {
  /** Which input the form shows for the value; `none` shows no input. */
  right: 'value' | 'number' | 'pattern' | 'none';
}

/** `GET /generalLookup/operators` */
export const operatorLookup: readonly OperatorRow[] = operatorForms.map(({ id, name, right }) => ({ id, name, right }));

export interface LeftOperandRow extends LookupRow {
  input: OperandInput;
  needsFieldName: boolean;
  /** Ids of the operators to offer. */
  operators: readonly number[];
}

/** `GET /generalLookup/ruleleftoperands?ruleType=`; without a type, every operand. */
export function leftOperandLookup(ruleType?: number): LeftOperandRow[] {
  return operandTable
    .filter((operand) => ruleType === undefined || operand.ruleTypes.includes(ruleType))
    .map(({ id, name, input, needsFieldName, operators }) => ({ id, name, input, needsFieldName, operators }));
}

/**
 * `GET /rulelookup/conditionInputOptions/{leftOperandType}`: the choices of a select operand, or the
 * resource whose rows are the choices of a lookup operand. Undefined for an unknown operand.
 */
export function conditionInputOptions(leftOperand: number): { choices: readonly Choice[] } | { resource: string } | undefined {
  const operand = operandOf(leftOperand);
  if (!operand) return undefined;
  return operand.lookup ? { resource: operand.lookup } : { choices: operand.choices ?? [] };
}

export interface OccurrenceRow extends LookupRow<OccurrencePattern['Kind']> {
  /** Numbers that the pattern needs. */
  needs: readonly ('Times' | 'Seconds')[];
}

/** `GET /generalLookup/occuranceoptions` */
export const occurrenceLookup: readonly OccurrenceRow[] = [
  { id: 'EveryTime', name: 'Every time', needs: [] },
  { id: 'TimesInRow', name: 'N times in a row', needs: ['Times'] },
  { id: 'TimesWithin', name: 'N times within a period', needs: ['Times', 'Seconds'] },
  { id: 'EveryTimeDuring', name: 'Every time during a period', needs: ['Seconds'] },
  { id: 'Changed', name: 'Changed from the last value', needs: [] },
  { id: 'NotSeenFor', name: 'Not seen for a period', needs: ['Seconds'] },
];

/** `GET /generalLookup/timezones`: IANA names, with UTC, which the runtime's own list leaves out. */
export function timeZoneLookup(): LookupRow<string>[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].sort().map((id) => ({ id, name: id.replaceAll('_', ' ') }));
}
