/** Does the work of campaigns in a test, without a worker. */
import type { Ctx } from '../context/ctx.ts';
import { beginCampaignJob, stopCampaignJob } from '../automation/campaigns/campaign.job.ts';
import { followCampaigns } from '../automation/campaigns/follow.ts';
import type { Job } from '../jobs/job.ts';
import { attemptOf } from './attempt.ts';

/** Runs the stored jobs of campaigns one after another, and `followCampaigns`, until no job is left. */
export async function workCampaigns(ctx: Ctx): Promise<void> {
  const jobs: Record<string, Job> = { 'begin-campaign': beginCampaignJob, 'stop-campaign': stopCampaignJob };
  for (let idle = 0; idle < 2; idle += 1) {
    for (;;) {
      const [job] = await ctx.db.query<{ name: string; payload: unknown }>({
        text: `delete from job where job_id = (select job_id from job where name = any($1) order by job_id limit 1) returning name, payload`,
        values: [Object.keys(jobs)],
      });
      if (!job) break;
      idle = 0;
      await jobs[job.name]?.run(ctx, job.payload, attemptOf());
    }
    await followCampaigns(ctx);
  }
}
