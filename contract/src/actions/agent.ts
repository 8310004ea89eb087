/** Calls of the device agent (domain, "Devices and their agent"). */
import { z } from 'zod';
import { installationReports } from '../agent/installations.ts';
import { agentConfiguration, agentLogs, registerAnswer, registerRequest } from '../agent/messages.ts';
import { agentRuns, agentSecrets, agentSecretsRequest } from '../agent/runs.ts';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** An agent calls this at its first start and then each minute until a person promotes its machine. */
export const registerAgent = defineAction({
  name: 'registerAgent',
  method: 'POST',
  path: '/v1/agent/register',
  access: { scope: 'agent' },
  input: registerRequest,
  output: registerAnswer,
});

/** Long poll: with `If-None-Match` and `wait` the server answers when the configuration changed, or 304 after the wait. */
export const readConfiguration = defineAction({
  name: 'agentConfiguration',
  method: 'GET',
  path: '/v1/agent/configuration',
  access: { scope: 'agent' },
  input: z.object({
    machineKey: z.optional(guidSchema),
    deviceId: z.optional(guidSchema),
    wait: z.coerce.number().min(0).max(60).optional(),
    /** The time of the agent's machine; the device shows its difference from the server's. */
    agentTime: z.optional(z.iso.datetime()),
  }),
  output: agentConfiguration,
});

/** Stores log entries of an agent, unless the logging level of its device is None. */
export const sendAgentLogs = defineAction({
  name: 'sendAgentLogs',
  method: 'POST',
  path: '/v1/agent/logs',
  access: { scope: 'agent' },
  input: agentLogs,
  output: z.object({ stored: z.int() }),
});

/** Stores what the agent says about its installations. A report about an earlier wish changes the installed version alone. */
export const reportInstallations = defineAction({
  name: 'reportInstallations',
  method: 'POST',
  path: '/v1/agent/installations',
  access: { scope: 'agent' },
  input: installationReports,
  output: z.object({ stored: z.int() }),
});

/** Stores the runs that an agent reports, and completes those that were requested. */
export const sendAgentRuns = defineAction({
  name: 'sendAgentRuns',
  method: 'POST',
  path: '/v1/agent/runs',
  access: { scope: 'agent' },
  input: agentRuns,
  output: z.object({ stored: z.int() }),
});

/** The secured values of one enabled operation, for one run of it; each is audited. */
export const readAgentSecrets = defineAction({
  name: 'readAgentSecrets',
  method: 'POST',
  path: '/v1/agent/secrets',
  access: { scope: 'agent' },
  input: agentSecretsRequest,
  output: agentSecrets,
});
