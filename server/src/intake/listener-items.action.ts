/** Gives what listeners of agents have heard to the sources that their operations name. */
import { sendAgentItems } from '@cloudfit/contract/actions/agent.ts';
import { sourceParameter, type AgentItems, type AgentItemsAnswer } from '@cloudfit/contract/agent/items.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { ParameterValue } from '@cloudfit/contract/packages/parameters.ts';
import { listenerKinds, sourceKindChoices } from '@cloudfit/contract/sources/kinds.ts';
import { requireAgentDevice, type AgentDevice } from '../features/devices/agent/requester.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { implement, type ImplementedAction } from '../resources/action.ts';
import { ctxOf, type OpenSource } from './open-sources.ts';
import type { Payload } from './readings.ts';
import type { SourceIntake } from './take.ts';

export interface ListenerItemsParts {
  database: Database;
  /** Absent where nothing is taken for sources. */
  intake?: SourceIntake | undefined;
}

interface ListeningRow {
  device_operation_id: string;
  device_name: string;
  parameters: ParameterValue[];
}

const listening = `select o.device_operation_id, d.name as device_name, o.parameters
from device_operation o join device d on d.device_id = o.device_id
where o.device_operation_id = any ($1::uuid[]) and o.device_id = $2 and not o.is_deleted`;

const named = `select source_id from intake_source
where tenant_id = $1 and (lower(name) = lower($2) or source_id::text = lower($2)) order by source_id limit 2`;

/** A reason why the items of an operation cannot be taken. */
class NotTaken extends Error {}

function sourceNamedBy({ parameters }: ListeningRow): string {
  const value = parameters.find(({ Name }) => Name === sourceParameter)?.Value;
  if (typeof value !== 'string' || value.trim() === '')
    throw new NotTaken(`The operation names no source: set its parameter ${sourceParameter} to the name of one.`);
  return value.trim();
}

const kindsText = sourceKindChoices
  .filter(({ value }) => listenerKinds.has(value))
  .map(({ label }) => label)
  .join(', ');

async function sourceOf(ctx: Ctx, intake: SourceIntake, { tenantId }: AgentDevice, name: string): Promise<OpenSource> {
  const [row, other] = await ctx.db.query<{ source_id: string }>({ name: 'listener-source', text: named, values: [tenantId, name] });
  if (!row)
    throw new NotTaken(
      `There is no source ${name} in the tenant. Make it on the page Sources, or correct the parameter ${sourceParameter}.`,
    );
  if (other) throw new NotTaken(`Several sources are named ${name}. Give them names of their own, or set the parameter to the id of one.`);
  const source = await intake.sources.find(row.source_id);
  // The cache of sources is one of all tenants.
  if (source?.tenantId !== tenantId) throw new NotTaken(`There is no source ${name} in the tenant.`);
  if (!listenerKinds.has(source.kind))
    throw new NotTaken(`The source ${name} is not one of those that listeners give items to: ${kindsText}.`);
  if (!source.tenantEnabled) throw new NotTaken('The tenant of the source is disabled.');
  return source;
}

type ItemCounts = Pick<AgentItemsAnswer, 'stored' | 'duplicate' | 'refused'>;

/** The counts in an answer of a source; one that has refused everything has none. */
function countsOf(body: unknown, total: number): ItemCounts {
  const { stored = 0, duplicate = 0, refused = total } = (body ?? {}) as Partial<ItemCounts>;
  return { stored, duplicate, refused };
}

function payloadOf(items: AgentItems['items'], gateway: string): Payload {
  const payloadItems = items.map(({ item, timestamp }) => ({ ...item, received: Date.parse(timestamp) }));
  return {
    method: 'POST',
    path: '',
    query: new URLSearchParams(),
    contentType: 'application/json',
    headers: {},
    bytes: Buffer.from(JSON.stringify(payloadItems)),
    gateway,
  };
}

async function takeItems(ctx: Ctx, { database, intake }: ListenerItemsParts, { items }: AgentItems): Promise<AgentItemsAnswer> {
  if (!intake) throw new ApiError('Unavailable', 'This server takes nothing for sources.');
  const device = await requireAgentDevice(ctx);
  const byOperation = Map.groupBy(items, ({ deviceOperationId }) => deviceOperationId.toLowerCase());
  const rows = await ctx.db.query<ListeningRow>({
    name: 'listening-operations',
    text: listening,
    values: [[...byOperation.keys()], device.deviceId],
  });
  const operations = new Map(rows.map((row) => [row.device_operation_id, row]));
  const answer: AgentItemsAnswer = { stored: 0, duplicate: 0, refused: 0, problems: [] };
  for (const [id, received] of byOperation) {
    try {
      const operation = operations.get(id);
      if (!operation) throw new NotTaken('The operation is no longer one of this device.');
      const source = await sourceOf(ctx, intake, device, sourceNamedBy(operation));
      const { stored, duplicate, refused } = await takeOf(ctx, { database, intake }, source, received, operation.device_name);
      answer.stored += stored;
      answer.duplicate += duplicate;
      answer.refused += refused;
    } catch (error) {
      const isRefusal = error instanceof NotTaken || (error instanceof ApiError && error.status < 500 && error.status !== 429);
      // Nothing of a fault of the server, or of its load, is acknowledged; what was stored is known again by its ids.
      if (!isRefusal) throw error;
      answer.refused += received.length;
      answer.problems.push({ deviceOperationId: id, message: error.message });
    }
  }
  return answer;
}

/** Takes the items of one operation; those of a source that is disabled are refused, and counted there. */
async function takeOf(
  ctx: Ctx,
  { database, intake }: { database: Database; intake: SourceIntake },
  source: OpenSource,
  received: AgentItems['items'],
  gateway: string,
): Promise<ItemCounts> {
  if (!source.enabled) {
    const message = `The source ${source.name} is disabled. Enable it on the page Sources.`;
    intake.counts.add(source, {
      stored: 0,
      duplicates: 0,
      refusals: [{ code: 'SourceDisabled', message, sample: '', weight: received.length }],
    });
    throw new NotTaken(message);
  }
  const { correlationId, log, address } = ctx;
  const sourceCtx = ctxOf(database, source, { correlationId, log, ...(address === undefined ? {} : { address }) });
  const { body } = await intake.take(sourceCtx, source, payloadOf(received, gateway));
  return countsOf(body, received.length);
}

export const sendAgentItemsAction = (parts: ListenerItemsParts): ImplementedAction =>
  implement(sendAgentItems, (ctx, input) => takeItems(ctx, parts, input));
