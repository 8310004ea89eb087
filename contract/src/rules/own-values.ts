/** The constants of a rule of many tenants that a single tenant may have otherwise. */
import { operandOf } from './operands.ts';
import type { Condition } from './schema.ts';

/** Other constants by the key of their condition. */
export type OwnValues = Readonly<Record<string, string>>;

type Compared = Pick<Condition, 'LeftOperand' | 'LeftOperandFieldName' | 'Operator' | 'RightOperand'>;

export interface Constant<C extends Compared> {
  /** Names the condition whatever its constant is, so that a change of the rule's constant keeps the tenant's own. */
  key: string;
  at: number;
  condition: C;
}

/** The constants with which conditions compare what packets report. Conditions that select entities are the rule's alone. */
export function constantsOf<C extends Compared>(conditions: readonly C[]): Constant<C>[] {
  const counts = new Map<string, number>();
  return conditions.flatMap((condition, at) => {
    const { LeftOperand, LeftOperandFieldName, Operator, RightOperand } = condition;
    const operand = operandOf(LeftOperand);
    const isConstant = RightOperand !== null && RightOperand !== undefined && RightOperand !== '';
    if (!isConstant || !operand || operand.selects || operand.lookup) return [];
    const name = `${LeftOperand} ${LeftOperandFieldName ?? ''} ${Operator}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return [{ key: count === 1 ? name : `${name} ${count}`, at, condition }];
  });
}

/** Returns the conditions with a tenant's own constants; keys that no condition has are without effect. */
export function withOwnValues<C extends Compared>(conditions: readonly C[], ownValues: OwnValues | null | undefined): C[] {
  const changed = [...conditions];
  for (const { key, at, condition } of constantsOf(conditions)) {
    const value = ownValues && Object.hasOwn(ownValues, key) ? ownValues[key] : undefined;
    if (value !== undefined) changed[at] = { ...condition, RightOperand: value };
  }
  return changed;
}
