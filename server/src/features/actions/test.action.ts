/**
 * Runs an action as a test. The outcome is in the action's history, never in the feed of the work unit whose values the test
 * used.
 */
import { randomUUID } from 'node:crypto';
import { testAction } from '@cloudfit/contract/actions/automation.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction } from '../../context/ctx.ts';
import { writeExecutions } from '../../executions/executions.ts';
import { implement } from '../../resources/action.ts';
import { readTested } from './tested.ts';

export const testActionAction = implement(testAction, async (ctx, input) => {
  const { tenantId, about, parameters } = await readTested(ctx, input);
  const messageId = randomUUID();
  await inTransaction(ctx, async (inside) => {
    const [visibleTenant] = await inside.db.query({ text: 'select 1 from tenant where tenant_id = $1', values: [tenantId] });
    if (!visibleTenant) throw notFound('Tenant');
    await writeExecutions(inside.db, [
      {
        tenantId,
        actionDefinitionId: input.id,
        messageId,
        correlationId: ctx.correlationId,
        referenceId: null,
        parameters,
        suppressed: false,
        detail: { test: true, by: actorName(ctx), ...(about && { about }) },
      },
    ]);
    await recordAudit(inside.db, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'test',
      entity: 'actionDefinitions',
      entityId: input.id,
      tenantId,
      after: { messageId, ...about },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
  });
  return { id: messageId };
});
