/** Calls of the device agent (domain, "Devices and their agent"). */
import { z } from 'zod';
import { installationReports } from '../agent/installations.ts';
import { agentTokenAnswer, agentTokenPath, agentTokenRequest, replaceKeyAnswer, replaceKeyRequest } from '../agent/identity.ts';
import { agentConfiguration, agentLogs, registerAnswer, registerRequest } from '../agent/messages.ts';
import { agentRuns, agentSecrets, agentSecretsRequest } from '../agent/runs.ts';
import { defineAction } from '../action.ts';

/** An agent calls this with the enrolment token of its tenant to become known, and at each start with its access token. */
export const registerAgent = defineAction({
  name: 'registerAgent',
  method: 'POST',
  path: '/v1/agent/register',
  access: { scope: 'agent' },
  input: registerRequest,
  output: registerAnswer,
});

/**
 * Gives the agent of a promoted device an access token for ten minutes, for an assertion that it has signed (RFC 7523). Takes a
 * form, and refuses in the form of RFC 6749, 5.2.
 */
export const agentToken = defineAction({
  name: 'agentToken',
  method: 'POST',
  path: agentTokenPath,
  access: 'anonymous',
  input: agentTokenRequest,
  output: agentTokenAnswer,
  noStore: true,
});

/** Replaces the agent's key by a new one that the present one vouches for. */
export const replaceAgentKey = defineAction({
  name: 'replaceAgentKey',
  method: 'POST',
  path: '/v1/agent/key',
  access: { scope: 'agent' },
  input: replaceKeyRequest,
  output: replaceKeyAnswer,
});

/** Long poll: with `If-None-Match` and `wait` the server answers when the configuration changed, or 304 after the wait. */
export const readConfiguration = defineAction({
  name: 'agentConfiguration',
  method: 'GET',
  path: '/v1/agent/configuration',
  access: { scope: 'agent' },
  input: z.object({
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
