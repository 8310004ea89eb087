import { sendAgentLogs } from '@cloudfit/contract/actions/agent.ts';
import { implement } from '../../../resources/action.ts';
import { storeAgentLogs } from './store-logs.ts';

export const sendAgentLogsAction = implement(sendAgentLogs, storeAgentLogs);
