/** Messages between server and agent about runs of operations, and about the values that runs need. */
import { z } from 'zod';
import { operationRunStatuses } from '../enums.ts';
import { guidSchema } from '../resource.ts';

/** The maximum number of runs in one `POST /v1/agent/runs`. */
export const agentRunsMax = 100;

/** The maximum characters of the output, message and value of a run in the history of runs. */
export const runOutputMax = 20_000;
export const runMessageMax = 2_000;
export const runValueMax = 1_000;

/** The state of a run. Each report replaces the previous one; a run that has ended does not change any more. */
export const agentRun = z.object({
  /** The id of the run; for a requested run its `completionToken`. */
  operationRunId: guidSchema,
  deviceOperationId: guidSchema,
  completionToken: z.nullable(guidSchema),
  status: z.enum(operationRunStatuses).exclude(['Queued', 'Dequeued', 'Expired']),
  started: z.iso.datetime(),
  /** When the run ended; null while it is running. */
  ended: z.nullable(z.iso.datetime()),
  durationMs: z.nullable(z.int().min(0)),
  exitCode: z.nullable(z.int()),
  value: z.nullable(z.string().max(runValueMax)),
  message: z.nullable(z.string().max(runMessageMax)),
  /** Progress in percent, as the program reports it. */
  progress: z.nullable(z.int().min(0).max(100)),
  output: z.nullable(z.string().max(runOutputMax)),
});
export type AgentRun = z.infer<typeof agentRun>;

/** Body of `POST /v1/agent/runs`, oldest first. */
export const agentRuns = z.object({ runs: z.array(agentRun).min(1).max(agentRunsMax) });
export type AgentRuns = z.infer<typeof agentRuns>;

/** Body of `POST /v1/agent/secrets`: asks for the secured values of one enabled operation of the device. */
export const agentSecretsRequest = z.object({ deviceOperationId: guidSchema });
export type AgentSecretsRequest = z.infer<typeof agentSecretsRequest>;

export const agentSecrets = z.object({ value: z.array(z.object({ placeholder: z.string(), value: z.string() })) });
export type AgentSecrets = z.infer<typeof agentSecrets>;

/** Facts of the agent that a parameter with the source RuntimeConfig may name. */
export const runtimeFacts = ['DeviceId', 'DeviceName', 'TenantId', 'AgentVersion', 'ServerUrl'] as const;
export type RuntimeFact = (typeof runtimeFacts)[number];
