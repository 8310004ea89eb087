import { registerAgent as declared, replaceAgentKey } from '@cloudfit/contract/actions/agent.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { registerAgent, type RegisterParts } from './register.ts';
import { replaceKey } from './replace-key.ts';

interface AgentIdentityParts extends RegisterParts {
  /** The public keys that agents store to verify packages. */
  packageKeys: readonly string[];
}

export function agentIdentityActions(parts: AgentIdentityParts): readonly ImplementedAction[] {
  return [
    implement(declared, async (ctx, input) => ({ ...(await registerAgent(ctx, input, parts)), packageKeys: [...parts.packageKeys] })),
    implement(replaceAgentKey, (ctx, { assertion }) => replaceKey(ctx, assertion)),
  ];
}
