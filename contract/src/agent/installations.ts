/** What an agent reports about the packages that it installs, updates and removes. */
import { z } from 'zod';
import { guidSchema } from '../resource.ts';
import { reportedInstallStatuses } from '../enums.ts';

/** The maximum number of reports in one `POST /v1/agent/installations`. */
export const installationReportsMax = 100;

const installationReport = z
  .object({
    packageId: guidSchema,
    /** Version and number of the wish that the agent works on, as in its configuration. */
    wantedVersionId: z.nullable(guidSchema),
    wishNumber: z.int().min(0),
    status: z.enum(reportedInstallStatuses),
    /** Progress of a download in percent. */
    progress: z.int().min(0).max(100).nullable(),
    /** Why the installation or removal failed, with the time of the next try; null for other statuses. */
    detail: z.string().max(4_000).nullable(),
    /** The version that is in use on the machine now. */
    installedVersionId: z.nullable(guidSchema),
  })
  .refine(
    (report) =>
      report.status !== 'Installed' || (report.installedVersionId !== null && report.installedVersionId === report.wantedVersionId),
    {
      path: ['installedVersionId'],
      message: 'A report of an installed version must name the wanted version as installed.',
    },
  );
export type InstallationReport = z.infer<typeof installationReport>;

/** Body of `POST /v1/agent/installations`: the reports, oldest first. */
export const installationReports = z.object({
  reports: z.array(installationReport).min(1).max(installationReportsMax),
});
export type InstallationReports = z.infer<typeof installationReports>;

/** Adds the time of the next try to the reason of a failed installation. */
export const withNextTry = (reason: string, at: Date): string =>
  `${reason} The next try is at ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;

/** Removes the sentence that `withNextTry` has added, for places that show the reason when no try follows. */
export const withoutNextTry = (detail: string): string => detail.replace(/ The next try is at [\d: -]+ UTC\.$/, '');
