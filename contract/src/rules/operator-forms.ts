/** The fourteen operators and their right sides. Does not import the regular expression engine, so that forms load fast. */

type OperatorId = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14;

export interface OperatorForm {
  id: OperatorId;
  name: string;
  /** Short form for labels: `>` or `contains`. */
  sign: string;
  /** What the right side must be; `none` hides the value input (RULE-042, RULE-043). */
  right: 'value' | 'number' | 'pattern' | 'none';
}

export const operatorForms: readonly OperatorForm[] = [
  { id: 1, name: 'Equals', sign: '=', right: 'value' },
  { id: 2, name: 'NotEquals', sign: '≠', right: 'value' },
  { id: 3, name: 'GreaterThan', sign: '>', right: 'number' },
  { id: 4, name: 'LessThan', sign: '<', right: 'number' },
  { id: 5, name: 'Contains', sign: 'contains', right: 'value' },
  { id: 6, name: 'GreaterThanOrEqual', sign: '≥', right: 'number' },
  { id: 7, name: 'LessThanOrEqual', sign: '≤', right: 'number' },
  { id: 8, name: 'Matches', sign: 'matches', right: 'pattern' },
  { id: 9, name: 'StartsWith', sign: 'starts with', right: 'value' },
  { id: 10, name: 'EndsWith', sign: 'ends with', right: 'value' },
  { id: 11, name: 'NotContains', sign: 'does not contain', right: 'value' },
  { id: 12, name: 'NotMatches', sign: 'does not match', right: 'pattern' },
  { id: 13, name: 'IsEmpty', sign: 'is empty', right: 'none' },
  { id: 14, name: 'IsNotEmpty', sign: 'is not empty', right: 'none' },
];

const byId = new Map<number, OperatorForm>(operatorForms.map((row) => [row.id, row]));

export function operatorFormOf(id: number): OperatorForm | undefined {
  return byId.get(id);
}
