/** The rules that a source of alerts is made with: a firing alert opens a work unit, and a resolved one ends its match. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import type { sources } from '@cloudfit/contract/resources/sources.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Ctx } from '../../context/ctx.ts';
import { create } from '../../resources/create.ts';
import { servedOf } from '../../resources/served.ts';

const state = (name: string, Operator: number, RightOperand: string): Condition => ({
  Type: 'And',
  LeftOperand: operandId.state,
  LeftOperandFieldName: name,
  Operator,
  RightOperand,
});

const ready = [
  { suffix: 'critical alerts', operator: operatorId.equals, severity: 'Sev1' },
  { suffix: 'other alerts', operator: operatorId.notEquals, severity: 'Sev3' },
] as const;

/** Makes the rules in the transaction of the source. They are rules like others: people change or delete them. */
export async function makeReadyRules(ctx: Ctx, { sourceId, name, tenantId, subscriptionId }: Row<typeof sources>): Promise<void> {
  const ofSource: Condition = {
    Type: 'And',
    LeftOperand: operandId.property,
    LeftOperandFieldName: 'SourceId',
    Operator: operatorId.equals,
    RightOperand: sourceId,
  };
  for (const { suffix, operator, severity } of ready)
    await create(ctx, servedOf(rules), {
      name: `${name}: ${suffix}`,
      description: `Came with the source ${name}. A firing alert opens a work unit, and a resolved one ends its match.`,
      ruleTypeId: 1,
      tenantId,
      subscriptionId,
      // A sender that repeats a firing alert keeps its match open; one that falls silent does not for ever.
      matchLifetime: '168:00:00',
      useSlidingExpiration: true,
      conditions: [ofSource, state('Alert', operatorId.equals, 'firing'), state('Severity', operator, 'critical')],
      recoveryConditions: [ofSource, state('Alert', operatorId.equals, 'resolved')],
      matchActions: [
        {
          ActionDefinitionId: builtInAction.createWorkUnit,
          Parameters: {
            SeverityId: severity,
            Title: '{Properties.Title}',
            Description: '{Properties.Text}\n\n{Properties.Links}\n\n{Facts}',
          },
        },
      ],
    });
}
