/** Evidence of a control's status: links, files, and facts that the system records itself. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from '../../db/sql.ts';
import { addControlEvidence, complianceFacts } from '@cloudfit/contract/actions/compliance.ts';
import { evidenceLimits } from '@cloudfit/contract/compliance/evidence.ts';
import { ApiError, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedControlEvidence, servedControlStatuses } from './compliance.served.ts';
import { readFacts } from './facts.ts';
import { requireOpenWeek } from './weeks.ts';

interface Values {
  title: string;
  url?: string;
  fact?: string;
  file?: { name: string; content: Buffer };
}

interface EvidenceInput {
  kind: 'Link' | 'File' | 'Fact';
  title?: string | undefined;
  url?: string | undefined;
  fileName?: string | undefined;
  content?: string | undefined;
  fact?: string | undefined;
}

async function valuesOf(ctx: Ctx, tenantId: string, { kind, title, url, fileName, content, fact }: EvidenceInput): Promise<Values> {
  const missing = (target: string, label: string) => validationFailed([{ target, message: `${label} is required.` }]);
  if (kind === 'Link') {
    if (!url) throw missing('url', 'Address');
    return { title: title || new URL(url).host, url };
  }
  if (kind === 'File') {
    if (!fileName) throw missing('fileName', 'File name');
    if (!content) throw missing('content', 'Content');
    return { title: title || fileName, file: { name: fileName, content: Buffer.from(content, 'base64') } };
  }
  const factNow = (await readFacts(ctx, tenantId)).find(({ key }) => key === fact);
  if (!factNow) throw missing('fact', 'Fact');
  return { title: title || factNow.title, fact: factNow.text };
}

const add = implement(addControlEvidence, (outer, { id, ...input }) =>
  inTransaction(outer, async (ctx) => {
    const status = await get(ctx, servedControlStatuses, id, { lock: 'edit' });
    requirePermission(ctx, 'Compliance', 'edit', status.tenantId);
    await requireOpenWeek(ctx, status.tenantId, status.controlId, status.checkDate);
    const [stored] = await ctx.db.query<{ count: number }>({
      text: 'select count(*)::int as count from control_evidence where control_status_id = $1',
      values: [id],
    });
    if ((stored?.count ?? 0) >= evidenceLimits.perStatus)
      throw new ApiError('Conflict', `A status has at most ${evidenceLimits.perStatus} pieces of evidence.`);
    const { title, url, fact, file } = await valuesOf(ctx, status.tenantId, input);
    const digest = file && createHash('sha256').update(file.content).digest('hex');
    const write = sql`insert into control_evidence
      (tenant_id, control_status_id, kind, title, url, fact, file_name, size, sha256, content, created_by)
      values (${status.tenantId}, ${id}, ${input.kind}, ${title}, ${url ?? null}, ${fact ?? null}, ${file?.name ?? null},
        ${file?.content.length ?? null}, ${digest ?? null}, ${file?.content ?? null}, ${actorName(ctx)}) returning *`;
    const row = await writeRecorded(ctx, servedControlEvidence, 'create', write, null);
    if (!row) throw new Error('An insert answers its row.');
    return row;
  }),
);

const facts = implement(complianceFacts, async (ctx, { tenantId }) => {
  requireTenant(ctx, tenantId);
  requirePermission(ctx, 'Compliance', 'view', tenantId);
  return { value: await readFacts(ctx, tenantId) };
});

export const evidenceActions: readonly ImplementedAction[] = [add, facts];

/** Returns the stored file; throws 404 for evidence of another kind. */
export async function readEvidenceFile(ctx: Ctx, id: string): Promise<{ name: string; content: Readable; size: number }> {
  const evidence = await get(ctx, servedControlEvidence, id);
  const [row] = await ctx.db.query<{ content: Buffer | null }>({
    text: 'select content from control_evidence where evidence_id = $1',
    values: [evidence.evidenceId],
  });
  if (!row?.content) throw notFound('File');
  return { name: evidence.fileName ?? 'file', content: Readable.from(row.content), size: row.content.length };
}
