/** The fourteen operators and their right sides. Does not import the regular expression engine, so that forms load fast. */

type OperatorId = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14;

export interface OperatorForm {
  id: OperatorId;
  name: string;
  /** What the right side must be; `none` hides the value input (RULE-042, RULE-043). */
  right: 'value' | 'number' | 'pattern' | 'none';
}

export const operatorForms: readonly OperatorForm[] = [
  { id: 1, name: 'Equals', right: 'value' },
  { id: 2, name: 'NotEquals', right: 'value' },
  { id: 3, name: 'GreaterThan', right: 'number' },
  { id: 4, name: 'LessThan', right: 'number' },
  { id: 5, name: 'Contains', right: 'value' },
  { id: 6, name: 'GreaterThanOrEqual', right: 'number' },
  { id: 7, name: 'LessThanOrEqual', right: 'number' },
  { id: 8, name: 'Matches', right: 'pattern' },
  { id: 9, name: 'StartsWith', right: 'value' },
  { id: 10, name: 'EndsWith', right: 'value' },
  { id: 11, name: 'NotContains', right: 'value' },
  { id: 12, name: 'NotMatches', right: 'pattern' },
  { id: 13, name: 'IsEmpty', right: 'none' },
  { id: 14, name: 'IsNotEmpty', right: 'none' },
];

const byId = new Map<number, OperatorForm>(operatorForms.map((row) => [row.id, row]));

export function operatorFormOf(id: number): OperatorForm | undefined {
  return byId.get(id);
}
