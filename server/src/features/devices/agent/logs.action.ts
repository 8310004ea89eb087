import { sendAgentLogs } from '@cloudfit/contract/actions/agent.ts';
import { implement } from '../../../resources/action.ts';
import { keepAgentLogs } from './keep-logs.ts';

export const sendAgentLogsAction = implement(sendAgentLogs, keepAgentLogs);
