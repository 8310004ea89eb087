/** Calls of the device agent. */
import { z } from 'zod';
import { installationReports } from '../agent/installations.ts';
import { agentTokenAnswer, agentTokenPath, agentTokenRequest, replaceKeyAnswer, replaceKeyRequest } from '../agent/identity.ts';
import { agentItems, agentItemsAnswer } from '../agent/items.ts';
import { agentConfiguration, agentLogs, registerAnswer, registerRequest } from '../agent/messages.ts';
import { agentRuns, agentSecrets, agentSecretsRequest } from '../agent/runs.ts';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

export const registerAgent = defineAction({
  name: 'registerAgent',
  method: 'POST',
  path: '/v1/agent/register',
  access: { scope: 'agent' },
  about: 'Makes a machine known to its tenant; an agent repeats it at each start with what it is and runs.',
  input: registerRequest,
  output: registerAnswer,
});

export const agentToken = defineAction({
  name: 'agentToken',
  method: 'POST',
  path: agentTokenPath,
  access: 'anonymous',
  about:
    'Gives the agent of a promoted device an access token for ten minutes, for an assertion that it has signed (RFC 7523). Takes a form, and refuses in the form of RFC 6749, 5.2.',
  input: agentTokenRequest,
  output: agentTokenAnswer,
  noStore: true,
});

export const replaceAgentKey = defineAction({
  name: 'replaceAgentKey',
  method: 'POST',
  path: '/v1/agent/key',
  access: { scope: 'agent' },
  about: "Replaces the agent's key with a new one that the present one vouches for.",
  input: replaceKeyRequest,
  output: replaceKeyAnswer,
});

export const readConfiguration = defineAction({
  name: 'agentConfiguration',
  method: 'GET',
  path: '/v1/agent/configuration',
  access: { scope: 'agent' },
  about: 'Long poll: with `If-None-Match` and `wait` the server answers when the configuration changed, or 304 after the wait.',
  input: z.object({
    wait: z.coerce.number().min(0).max(60).optional(),
    /** The clock of the agent's machine, from which the server calculates the clock skew of the device. */
    agentTime: z.optional(z.iso.datetime()),
    /** The `instanceId` of the registration. 409 when another machine uses the identity of this one. */
    instance: z.optional(guidSchema),
  }),
  output: agentConfiguration,
});

export const sendAgentLogs = defineAction({
  name: 'sendAgentLogs',
  method: 'POST',
  path: '/v1/agent/logs',
  access: { scope: 'agent' },
  about: 'Stores log entries of an agent, unless the logging level of its device is None.',
  input: agentLogs,
  output: z.object({ stored: z.int() }),
});

export const reportInstallations = defineAction({
  name: 'reportInstallations',
  method: 'POST',
  path: '/v1/agent/installations',
  access: { scope: 'agent' },
  about: 'Stores what the agent says about its installations. A report about an earlier wish changes only the installed version.',
  input: installationReports,
  output: z.object({ stored: z.int() }),
});

export const sendAgentRuns = defineAction({
  name: 'sendAgentRuns',
  method: 'POST',
  path: '/v1/agent/runs',
  access: { scope: 'agent' },
  about: 'Stores the runs that an agent reports, and completes those that were requested.',
  input: agentRuns,
  output: z.object({ stored: z.int() }),
});

export const sendAgentItems = defineAction({
  name: 'sendAgentItems',
  method: 'POST',
  path: '/v1/agent/items',
  access: { scope: 'agent' },
  about: 'Gives what listeners of an agent have heard to the sources that their operations name.',
  input: agentItems,
  output: agentItemsAnswer,
});

export const readAgentSecrets = defineAction({
  name: 'readAgentSecrets',
  method: 'POST',
  path: '/v1/agent/secrets',
  access: { scope: 'agent' },
  about: 'The secured values of one enabled operation, for one run of it; each is audited.',
  input: agentSecretsRequest,
  output: agentSecrets,
});
