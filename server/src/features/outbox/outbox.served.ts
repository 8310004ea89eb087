import { jobs, outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import { serve } from '../../resources/served.ts';

export const servedOutboxMessages = serve(outboxMessages, 'outbox_message');
export const servedJobs = serve(jobs, 'job');
