import { registerAgent as declared } from '@cloudfit/contract/actions/agent.ts';
import { implement } from '../../../resources/action.ts';
import { registerAgent } from './register.ts';

export const registerAgentAction = implement(declared, (ctx, input) => registerAgent(ctx, input));
