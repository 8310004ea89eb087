import { registerAgent as declared } from '@cloudfit/contract/actions/agent.ts';
import { implement, type Implemented } from '../../../resources/action.ts';
import { registerAgent } from './register.ts';

/** `packageKeys` are the public keys that agents keep to check packages with. */
export const registerAgentAction = (packageKeys: readonly string[]): Implemented =>
  implement(declared, async (ctx, input) => ({ ...(await registerAgent(ctx, input)), packageKeys: [...packageKeys] }));
