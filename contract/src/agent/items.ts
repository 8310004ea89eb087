/** What listeners of an agent have heard (SNMP traps, syslog, MQTT), on its way to the sources that their operations name. */
import { z } from 'zod';
import { guidSchema } from '../resource.ts';

/** The maximum number of items in one `POST /v1/agent/items`. */
export const agentItemsMax = 500;

/** The parameter of an operation that names the source of its items. */
export const sourceParameter = 'Source';

/** Something that a listener heard, in the form of the kind of its source; or what it refused, with a count. */
export const listenerItem = z.record(z.string(), z.json());

const agentItem = z.object({
  /** The operation that listens; its parameter `Source` names the source. */
  deviceOperationId: guidSchema,
  /** When it was heard. */
  timestamp: z.iso.datetime(),
  item: listenerItem,
});

/** Body of `POST /v1/agent/items`, oldest first. An item that arrives twice is stored once, by its `id`. */
export const agentItems = z.object({ items: z.array(agentItem).min(1).max(agentItemsMax) });
export type AgentItems = z.infer<typeof agentItems>;

/** What became of the items. `problems` say why those of an operation could not be taken at all; the agent logs them. */
export const agentItemsAnswer = z.object({
  stored: z.int(),
  duplicate: z.int(),
  refused: z.int(),
  problems: z.array(z.object({ deviceOperationId: z.string(), message: z.string() })),
});
export type AgentItemsAnswer = z.infer<typeof agentItemsAnswer>;
