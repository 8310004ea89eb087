/** When the result of an operation opens a work unit, as people choose it together with the operation. */
import { z } from 'zod';
import { severities } from '../enums.ts';
import { operandId } from './operands.ts';
import { operatorId } from './operators.ts';
import type { Condition } from './schema.ts';

/** What of a result is looked at. Down: that the target of a check is down, until it is up again. */
const checkedReadings = ['Down', 'Value', 'Metric', 'State'] as const;

export const checkedWhen = z
  .object({
    reading: z.enum(checkedReadings, { error: `Reading is one of ${checkedReadings.join(', ')}.` }),
    name: z.optional(z.string().max(200)).describe('The name of the metric or state.'),
    operator: z.optional(z.int({ error: 'Operator is a number.' })),
    value: z.optional(z.string().max(1_000)),
  })
  .superRefine(({ reading, name, operator, value }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (reading === 'Down') return;
    if (reading !== 'Value' && !name?.trim()) refuse('name', `Name the ${reading.toLowerCase()} that the rule looks at.`);
    if (operator === undefined) refuse('operator', 'Say how the reading is compared: operator is a number.');
    if (value === undefined) refuse('value', 'Say what the reading is compared with.');
  });

/** What opens the unit, in the calls that add a check. */
export const checkedFields = {
  when: checkedWhen,
  severityId: z.enum(severities, { error: `Severity is one of ${severities.join(', ')}.` }).default('Sev3'),
};

export type CheckedWhen = z.infer<typeof checkedWhen>;

const operands = { Value: operandId.value, Metric: operandId.metric, State: operandId.state } as const;
const up = { LeftOperand: operandId.metric, LeftOperandFieldName: 'Up' };
const runStatus = { LeftOperand: operandId.state, LeftOperandFieldName: 'RunStatus' };

/** The conditions of alternatives, each of which holds for what `selects` selects. */
const alternatives = (selects: readonly Condition[], all: readonly (readonly Omit<Condition, 'Type'>[])[]): Condition[] =>
  all.flatMap((alternative, at) =>
    [...selects, ...alternative.map((condition): Condition => ({ Type: 'And', ...condition }))].map((condition, place): Condition =>
      at > 0 && place === 0 ? { ...condition, Type: 'Or' } : condition,
    ),
  );

/** The conditions of the rule. Checks report the metric Up; plugins of Nagios say by the status of their run what they found. */
export function conditionsOf(selects: readonly Condition[], { reading, name, operator, value }: CheckedWhen) {
  if (reading === 'Down')
    return {
      conditions: alternatives(selects, [
        [{ ...up, Operator: operatorId.equals, RightOperand: '0' }],
        [{ ...runStatus, Operator: operatorId.equals, RightOperand: 'Critical' }],
      ]),
      recoveryConditions: alternatives(
        [],
        [
          [{ ...up, Operator: operatorId.equals, RightOperand: '1' }],
          [
            { ...up, Operator: operatorId.isEmpty, RightOperand: '' },
            { ...runStatus, Operator: operatorId.matches, RightOperand: '^(Success|Warning)$' },
          ],
        ],
      ),
    };
  const named = reading === 'Value' ? {} : { LeftOperandFieldName: name?.trim() ?? '' };
  return {
    conditions: alternatives(selects, [[{ LeftOperand: operands[reading], Operator: operator ?? 0, RightOperand: value ?? '', ...named }]]),
    recoveryConditions: null,
  };
}

/** Whether a rule opens units for every check that is Down, so that another for one of them would open a second unit. */
export function isAboutEveryCheck(conditions: readonly Condition[]): boolean {
  const [first, ...rest] = conditions;
  return (
    rest.length === 0 &&
    first?.LeftOperand === up.LeftOperand &&
    first.LeftOperandFieldName === up.LeftOperandFieldName &&
    first.Operator === operatorId.equals &&
    first.RightOperand === '0'
  );
}
