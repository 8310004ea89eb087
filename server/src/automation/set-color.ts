/** Sets the colour of a block: of the named one, or of the block that shows the matched entity. */
import { blockColors } from '@cloudfit/contract/enums.ts';
import { startOf } from '@cloudfit/contract/one-line.ts';
import { blocks } from '@cloudfit/contract/resources/blocks.ts';
import { isGuid } from '../auth/guid.ts';
import type { Ctx } from '../context/ctx.ts';
import { servedOf } from '../resources/served.ts';
import { update } from '../resources/update.ts';
import type { QueuedExecution } from './execution.ts';
import type { Try } from './tries.ts';
import { ActionFailure, type ActionResult } from './action-result.ts';

async function blockOf(ctx: Ctx, { tenantId, match, parameters }: QueuedExecution): Promise<string> {
  const named = String(parameters['BlockId'] ?? '');
  if (named !== '' && !isGuid(named)) throw new ActionFailure(`${named} is not the id of a block.`);
  const [block] = await ctx.db.query<{ block_id: string }>({
    text: 'select block_id from block where tenant_id = $1 and case when $2::uuid is null then entity_id = $3 else block_id = $2 end',
    values: [tenantId, named || null, match?.subjectId ?? null],
  });
  if (block) return block.block_id;
  throw new ActionFailure(named ? 'The block was not found.' : 'The subject has no block whose colour could be set.');
}

/** Sets the colour of a block. */
export async function setColor(ctx: Ctx, execution: QueuedExecution, attempt: Try): Promise<ActionResult> {
  const name = String(execution.parameters['Color'] ?? '').toLowerCase();
  const color = blockColors.find((blockColor) => blockColor === name);
  if (!color) throw new ActionFailure(`Color is one of ${blockColors.join(', ')}.`);
  const by = execution.match ? `Rule ${execution.match.ruleName}` : 'Automation';
  return attempt.inOne(
    { target: `Color of ${String(execution.parameters['BlockId'] ?? '') || 'the block of the subject'}`, sent: color },
    async (db) => {
      const inside: Ctx = { ...ctx, db, actor: { kind: 'system', id: null, name: startOf(by, 200) } };
      const blockId = await blockOf(inside, execution);
      await update(inside, servedOf(blocks), blockId, () => ({ entityColor: { color } }));
      return { succeeded: true, detail: { blockId, color } };
    },
  );
}
