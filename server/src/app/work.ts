/** The worker part of the process: jobs and periodic work. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { systemCtx } from '../auth/system-ctx.ts';
import { openTenantSecrets } from '../auth/tenant-secrets.ts';
import { openAckLinks } from '../platform/ack-links.ts';
import { openHopCounts } from '../context/hop-count.ts';
import type { MasterKey } from '../auth/master-key.ts';
import type { PushKey } from '../auth/push/key.ts';
import { destinationBreaker } from '../automation/destinations.ts';
import { expiryWork } from '../automation/expire-matches.ts';
import { endedUnitsWork } from '../automation/units/goes-on.ts';
import { repeatedMessagesWork } from '../automation/units/repeat-messages.ts';
import { followGroupsJob, groupsWork } from '../automation/groups/follow-groups.job.ts';
import { startProtocolSteps } from '../automation/protocols/protocol-run.ts';
import { outboxMailWork } from '../automation/outbox-mail.ts';
import { handoverWork } from '../automation/notify/handover.ts';
import { faultsWork } from '../automation/notify/tell-faults.ts';
import { callBackWork } from '../automation/notify/call-backs.ts';
import { digestWork } from '../features/work-units/inbox/digest.ts';
import { wakeWork } from '../features/work-units/snooze/wake-units.ts';
import { clockWatchWork } from '../features/work-units/service-levels/watch-clocks.ts';
import { answerWatchWork } from '../automation/protocols/answer-watch.ts';
import { heldWork } from '../automation/notify/release-held.ts';
import { fetchPhotoJob, photosWork } from '../automation/photos/fetch-photos.ts';
import { plannedStepWork } from '../automation/protocols/planned-steps.ts';
import { protocolStepsJob, protocolSweepWork } from '../automation/protocols/protocol-steps.job.ts';
import { runActionJob } from '../automation/run-action.job.ts';
import { sendEventJob } from '../automation/events/send-event.job.ts';
import { sendMailJob } from '../automation/send-mail.job.ts';
import { openEndedMails } from '../automation/notify/ended-mails.ts';
import { openSubscriptionLinks } from '../features/status-pages/subscription-links.ts';
import { notifySubscribersWork } from '../features/status-pages/notify-subscribers.ts';
import { workUnitEventJob } from '../automation/work-unit-event.job.ts';
import { timerWork } from '../automation/work-unit-timers.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../db/connection.ts';
import type { Ingest } from '../ingest/accept.ts';
import { brokenRulesWork } from '../rules/run/broken-rules.ts';
import { countSweepWork, countWork } from '../rules/run/count-many.ts';
import { correlateJob } from '../rules/run/correlate.job.ts';
import { backtestJob } from '../rules/backtest/backtest.job.ts';
import { filteredDevicesWork } from '../features/maintenance/filtered-devices.ts';
import { maintenanceWork } from '../rules/run/maintenance/maintenance-work.ts';
import { lateSourcesWork } from '../rules/run/late-sources.ts';
import { silenceWork } from '../rules/run/silence/work.ts';
import { workUnitRules } from '../rules/run/work-unit-rules.ts';
import { beginCampaignJob, stopCampaignJob } from '../automation/campaigns/campaign.job.ts';
import { applyPoliciesJob, policyWork } from '../automation/policies/apply.job.ts';
import { followSelectionsWork } from '../automation/selections/follow.ts';
import { followCampaignsWork } from '../automation/campaigns/follow.ts';
import { seriesWork } from '../features/series/roll-up.ts';
import { countVersionsWork } from '../features/devices/versions/count-versions.ts';
import { expireRequestsWork } from '../features/devices/operations/expire-requests.ts';
import { lostEventsWork } from '../features/event-subscriptions/wake.ts';
import { tokenEndWork } from '../features/tokens/end-notice.ts';
import { aliveHosts, aliveWork, type AliveParts } from './alive.ts';
import { offboardingWork } from '../features/tenancy/offboarding/steps.ts';
import { sweepWork } from '../features/packages/sweep.ts';
import { indexUnitsWork } from '../features/work-units/index-units.ts';
import { addUpCountsWork, checkCountsWork } from '../features/work-units/add-up-counts.ts';
import { countUnitDaysWork } from '../features/work-units/reports/count-days.ts';
import { openReportLinks } from '../platform/report-links.ts';
import { openDigestLinks } from '../platform/digest-links.ts';
import { reportWork } from '../features/work-units/reports/send-reports.ts';
import { reminderWork } from '../features/work-units/communications/reminders.ts';
import { readMailboxes } from '../intake/mail/read-mailboxes.ts';
import { jobRegistry } from '../jobs/job.ts';
import { partitionWork, pruneWork } from '../jobs/retention.ts';
import { namesOf, startSchedule, type Periodic, type SharedPeriodic } from '../jobs/schedule.ts';
import { startWorker } from '../jobs/worker.ts';
import { followDirectoriesWork } from './directories.ts';
import { mailParts } from './mailboxes.ts';
import { incomingFolder, openFileStore } from './open-file-store.ts';
import { openOutboundHttp } from '../outbound/http.ts';
import { openMail } from '../outbound/mail.ts';

interface WorkOptions {
  config: Config;
  database: Database;
  log: Logger;
  ingest: Ingest;
  masterKey: MasterKey;
  ownerUrl: string;
  mailServerIsSet: boolean;
}

/** All periodic work. */
export function periodicWorks({
  config,
  database,
  log,
  ingest,
  masterKey,
  ownerUrl,
  mailServerIsSet,
}: WorkOptions): (Periodic | SharedPeriodic)[] {
  return [
    expiryWork,
    endedUnitsWork,
    repeatedMessagesWork,
    groupsWork(database, log),
    timerWork,
    protocolSweepWork,
    plannedStepWork,
    answerWatchWork(database, log),
    clockWatchWork(database, log),
    wakeWork(database, log),
    callBackWork(database, log, config.personPauseSeconds * 1_000),
    heldWork(config.publicUrl, config.personPauseSeconds * 1_000),
    photosWork,
    handoverWork(config.publicUrl, config.personPauseSeconds * 1_000, log),
    reminderWork,
    faultsWork(config.publicUrl),
    digestWork(database, { publicUrl: config.publicUrl, log, links: openDigestLinks(masterKey, config.publicUrl) }),
    reportWork(database, log, openReportLinks(masterKey, config.publicUrl)),
    ...(mailServerIsSet ? [notifySubscribersWork(openSubscriptionLinks(masterKey, config.publicUrl), config.publicUrl)] : []),
    addUpCountsWork,
    indexUnitsWork,
    countUnitDaysWork,
    checkCountsWork(database, log),
    countVersionsWork,
    expireRequestsWork(database, log),
    followCampaignsWork(database, log),
    followSelectionsWork(database, log),
    policyWork,
    outboxMailWork(database, log, { mailServerIsSet }),
    filteredDevicesWork(database, log),
    maintenanceWork(ingest),
    silenceWork(ingest),
    lateSourcesWork(database, log),
    brokenRulesWork,
    countWork(ingest),
    countSweepWork(ingest),
    lostEventsWork,
    sweepWork(openFileStore(config), incomingFolder(config)),
    offboardingWork(database, log, { store: openFileStore(config), incoming: incomingFolder(config), masterKey, url: ownerUrl }),
    tokenEndWork(config.publicUrl),
    followDirectoriesWork({ masterKey, log, allow: config.outboundAllow }),
    seriesWork(database, { packetDays: config.packetRetentionDays, minuteDays: config.seriesMinuteRetentionDays }),
    partitionWork(
      { packet: config.packetRetentionDays, series_minute: config.seriesMinuteRetentionDays },
      { audit: config.auditRetentionDays, rule_evaluation: config.recordRetentionDays, device_log: config.packetRetentionDays },
      ownerUrl,
    ),
    pruneWork({
      packets: config.packetRetentionDays,
      records: config.recordRetentionDays,
      audit: config.auditRetentionDays,
      seriesHours: config.seriesHourRetentionDays,
      seriesDays: config.seriesDayRetentionDays,
    }),
  ];
}

export async function startWork(
  config: Config,
  database: Database,
  log: Logger,
  ingest: Ingest,
  masterKey: MasterKey,
  pushKey: PushKey,
  ownerUrl: string,
  stream: AliveParts['stream'],
): Promise<{ stop(): Promise<void> }> {
  const breaker = destinationBreaker(database.scoped('all'));
  const http = openOutboundHttp({ allow: config.outboundAllow, breaker });
  // Downloads photos of people. Has no circuit breaker, because breakers belong to the receivers of a tenant.
  const pictureHttp = openOutboundHttp({ allow: config.outboundAllow });
  const mail = config.smtpUrl ? openMail({ url: config.smtpUrl, from: config.mailFrom, breaker }) : undefined;
  const worker = await startWorker({
    database,
    log,
    callSlots: config.outboundSlots,
    dataFolder: `${hostname()}:${resolve(config.dataDir)}`,
    jobs: jobRegistry([
      runActionJob({
        http,
        mail,
        secrets: openTenantSecrets(masterKey),
        hopCounts: openHopCounts(masterKey),
        ackLinks: openAckLinks(masterKey, config.publicUrl),
        publicUrl: config.publicUrl,
        push: { key: pushKey },
        personPauseMs: config.personPauseSeconds * 1_000,
      }),
      sendMailJob(mail, config.publicUrl, openEndedMails(masterKey)),
      sendEventJob({
        http,
        masterKey,
        hopCounts: openHopCounts(masterKey),
        publicUrl: config.publicUrl,
        secrets: openTenantSecrets(masterKey),
        ackLinks: openAckLinks(masterKey, config.publicUrl),
      }),
      fetchPhotoJob(pictureHttp),
      followGroupsJob,
      correlateJob(ingest),
      workUnitEventJob([workUnitRules(ingest), startProtocolSteps]),
      protocolStepsJob(),
      backtestJob({ database, ingest }),
      beginCampaignJob,
      stopCampaignJob,
      applyPoliciesJob(database),
    ]),
    ctxFor: ({ correlationId }) => systemCtx({ database, log, name: 'Automation', correlationId }),
  });
  const works = periodicWorks({ config, database, log, ingest, masterKey, ownerUrl, mailServerIsSet: mail !== undefined });
  // Whoever starts the process chose the address, so it may be a private one.
  const aliveHttp = openOutboundHttp({ allow: aliveHosts(config.aliveUrl), totalMs: 20_000 });
  if (config.aliveUrl) works.push(aliveWork({ url: config.aliveUrl, http: aliveHttp, names: works.flatMap(namesOf), stream }));
  const schedule = await startSchedule({ database, log, worker: worker.id, works });
  const { taker, connect } = mailParts(config, masterKey);
  const mailboxes = readMailboxes({ database, log, taker, open: connect(database.scoped('all')) });
  return {
    stop: async () => {
      await Promise.all([schedule.stop(), worker.stop(), mailboxes.stop()]);
      mail?.close();
      await http.close();
      await pictureHttp.close();
      await aliveHttp.close();
    },
  };
}
