/** A worker that runs actions for a test world, and a wait for their results. */
import { pino } from 'pino';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import { followGroupsJob } from '../automation/groups/follow-groups.job.ts';
import { startProtocolSteps } from '../automation/protocols/protocol-run.ts';
import { protocolStepsJob } from '../automation/protocols/protocol-steps.job.ts';
import { runActionJob } from '../automation/run-action.job.ts';
import { workUnitEventJob } from '../automation/work-unit-event.job.ts';
import { jobRegistry } from '../jobs/job.ts';
import { startWorker } from '../jobs/worker.ts';
import { openOutboundHttp } from '../outbound/http.ts';
import type { Mail, MailMessage } from '../outbound/mail.ts';
import { until } from '../rules/testing/flow.ts';
import type { TestWorld } from './world.ts';

export interface History {
  action_definition_id: string;
  tenant_id: string;
  result_status_id: number;
  input_parameters: string;
  result_detail: Record<string, unknown> | null;
  reference_id: string | null;
}

export interface Automation {
  /** Waits until the execution with this message id has an outcome, and returns the execution. */
  outcome(messageId: unknown): Promise<History>;
  /** The mails that the worker has sent. */
  mails: MailMessage[];
  stop(): Promise<void>;
}

/** Starts the worker with `server`, by default a mail server that accepts every mail. Actions can call addresses of this machine only. */
export async function startAutomation(world: TestWorld, personPauseMs = 0, server?: Mail): Promise<Automation> {
  const log = pino({ level: 'silent' });
  const http = openOutboundHttp({ allow: ['127.0.0.1'] });
  const mails: MailMessage[] = [];
  const send = async (message: MailMessage): Promise<string> => {
    await message.begin?.();
    return `250 Taken as ${mails.push(message)}`;
  };
  const mail = server ?? { send, close: () => undefined };
  const worker = await startWorker({
    dataFolder: 'test',
    database: world.database,
    log,
    jobs: jobRegistry([
      runActionJob({
        http,
        mail,
        secrets: world.secrets,
        hopCounts: world.hopCounts,
        ackLinks: world.ackLinks,
        publicUrl: 'http://localhost',
        personPauseMs,
        push: { key: world.pushKey },
      }),
      followGroupsJob,
      workUnitEventJob([startProtocolSteps]),
      protocolStepsJob(),
    ]),
    ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log, name: 'Automation', correlationId }),
  });
  return {
    mails,
    outcome: (messageId) =>
      until(async () => {
        const [row] = await world.system.db.query<History>({
          text: `select action_definition_id, tenant_id, result_status_id, input_parameters, result_detail, reference_id from action_history where message_id = $1 and result_status_id <> ${resultStatus.enqueueSuccess}`,
          values: [messageId],
        });
        return row;
      }),
    stop: async () => {
      await worker.stop();
      await http.close();
    },
  };
}
