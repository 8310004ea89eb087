/** Reports to the server what happens to packages, in order, without delaying the work. */
import { installationReportsMax, type InstallationReport, type InstallationReports } from '@cloudfit/contract/agent/installations.ts';
import { apiMessageOf, type Client } from '../connection/client.ts';
import type { Log } from '../log.ts';
import { createSignal } from '../signal.ts';
import { storable } from '../storable.ts';

/**
 * Maximum number of reports that wait while the server cannot be reached. The oldest are dropped, because the newest
 * describe the current state.
 */
const maxWaiting = 1_000;
const maxDetailLength = 4_000;
const idleMs = 3_600_000;

export interface ReportQueue {
  add(report: InstallationReport): void;
  /** Sends the added reports until `signal` aborts. */
  send(signal: AbortSignal): Promise<void>;
}

export function createReportQueue({ client, log }: { client: Client; log: Log }): ReportQueue {
  const waiting: InstallationReport[] = [];
  const added = createSignal();
  let sending = 0;
  return {
    add: (next) => {
      const report = next.detail === null ? next : { ...next, detail: storable(next.detail, maxDetailLength) };
      // A report replaces the package's last report if status and wish are equal, unless the last report is being sent.
      const index = waiting.findLastIndex((waitingReport) => waitingReport.packageId === report.packageId);
      const last = waiting[index];
      if (last && index >= sending && last.status === report.status && last.wishNumber === report.wishNumber) waiting[index] = report;
      else waiting.push(report);
      if (waiting.length > maxWaiting) waiting.splice(sending, 1);
      added.notify();
    },
    send: async (signal) => {
      while (!signal.aborted) {
        if (waiting.length === 0) {
          await added.wait(idleMs, signal);
          continue;
        }
        const reports = waiting.slice(0, installationReportsMax);
        sending = reports.length;
        const body: InstallationReports = { reports };
        const answer = await client.request('POST', '/v1/agent/installations', signal, { body });
        if (answer === null) return;
        waiting.splice(0, sending);
        sending = 0;
        // 404: the device was removed, or a server of an earlier version answers.
        if (answer.status >= 400 && answer.status !== 404)
          log('error', `The server did not take the state of packages (${answer.status} ${apiMessageOf(answer.body)}).`);
      }
    },
  };
}
