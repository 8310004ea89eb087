/** Stores what the agent of a device says about its installations. */
import { sql } from '../../../db/sql.ts';
import { withoutNextTry, type InstallationReport, type InstallationReports } from '@cloudfit/contract/agent/installations.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { deviceInstallations } from '@cloudfit/contract/resources/device-installations.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { requireAgentDevice, type AgentDevice } from '../agent/requester.ts';
import { logDevice } from '../log.served.ts';
import { servedDeviceInstallations } from './installations.served.ts';
import { statusOf } from './wish.ts';

type InstallationRow = Row<typeof deviceInstallations>;

/** The fields that reports change, in the form in which people read them. */
type ReportedFields = Pick<
  InstallationRow,
  | 'deviceInstallationId'
  | 'tenantId'
  | 'packageVersionId'
  | 'installedVersionId'
  | 'installStatus'
  | 'statusDetail'
  | 'progress'
  | 'failure'
  | 'failed'
>;

interface ReportedInstallation {
  before: ReportedFields;
  package_name: string;
  /** Null if the server does not know the reported version. */
  installed_id: string | null;
  wanted_version: string | null;
  installed_version: string | null;
  wish_number: number;
}

const reported = `select json_build_object('deviceInstallationId', i.device_installation_id, 'tenantId', i.tenant_id, 'packageVersionId', i.package_version_id,
    'installedVersionId', i.installed_version_id, 'installStatus', i.install_status, 'statusDetail', i.status_detail, 'progress', i.progress, 'failure', i.failure, 'failed', i.failed) as before,
    p.name as package_name, n.package_version_id as installed_id, w.version as wanted_version, n.version as installed_version, i.wish_number
  from device_installation i
  join package p on p.package_id = i.package_id
  left join package_version w on w.package_version_id = i.package_version_id
  left join package_version n on n.package_version_id = $3 and n.package_id = i.package_id
  where i.device_id = $1 and i.package_id = $2 for update of i`;

/** Returns the line that a report writes to the device's log; undefined for a report that the work is still under way. */
function lineOf(
  { status, detail }: InstallationReport,
  { package_name: name, wanted_version: target, installed_version: installed }: ReportedInstallation,
): string | undefined {
  switch (status) {
    case 'Installed':
      return `${name} ${installed ?? ''} was installed.`;
    case 'InstallFailed':
    case 'RolledBack':
      return `${name} ${target ?? ''} could not be installed: ${detail ?? 'no reason was given.'}`;
    case 'Removed':
      return `${name} was removed.`;
    case 'UninstallFailed':
      return `${name} could not be removed: ${detail ?? 'no reason was given.'}`;
    default:
      return undefined;
  }
}

/**
 * Returns the reason of the last failed installation and its time. They stay until a different version is installed; a request
 * of the previous version does not clear them.
 */
function failureOf(ctx: Ctx, match: ReportedInstallation, report: InstallationReport) {
  const { failure, failed, installStatus, installedVersionId } = match.before;
  if (report.status === 'InstallFailed' || report.status === 'RolledBack') {
    const reason = withoutNextTry(lineOf(report, match) ?? '');
    const isSame = reason === failure && report.status === installStatus;
    return { failure: reason, failed: isSame ? failed : ctx.now().toISOString() };
  }
  if (report.status === 'Installed' && match.installed_id !== installedVersionId) return { failure: null, failed: null };
  return { failure, failed };
}

/**
 * Returns the new values, or undefined if none changes. The installed version is always stored; status, detail and progress
 * only if the report is about the present wish.
 */
function nextOf(ctx: Ctx, match: ReportedInstallation, report: InstallationReport) {
  const { before } = match;
  const installedVersionId = match.installed_id;
  const isAboutWish = match.wish_number === report.wishNumber && before.packageVersionId === report.wantedVersionId;
  if (isAboutWish && report.status !== 'Removed')
    return {
      installedVersionId,
      installStatus: report.status,
      statusDetail: report.detail,
      progress: report.progress,
      ...failureOf(ctx, match, report),
    };
  if (installedVersionId === before.installedVersionId) return undefined;
  const installStatus = statusOf(before.packageVersionId, installedVersionId);
  return { failure: before.failure, failed: before.failed, installedVersionId, installStatus, statusDetail: null, progress: null };
}

async function keep(ctx: Ctx, device: AgentDevice, report: InstallationReport): Promise<boolean> {
  const [match] = await ctx.db.query<ReportedInstallation>({
    name: 'reported-installation',
    text: reported,
    values: [device.deviceId, report.packageId, report.installedVersionId],
  });
  if (!match) return false;
  const { before } = match;
  const is = sql`where device_installation_id = ${before.deviceInstallationId} returning *`;
  const detail = lineOf(report, match);
  const isFault = report.status.endsWith('Failed') || report.status === 'RolledBack';
  const entry = { tenantId: device.tenantId, deviceId: device.deviceId, entryType: isFault ? 'Error' : 'Information' } as const;
  if (report.status === 'Removed' && before.packageVersionId === null && match.wish_number === report.wishNumber) {
    await writeRecorded(ctx, servedDeviceInstallations, 'delete', sql`delete from device_installation ${is}`, before);
    if (detail !== undefined) await logDevice(ctx, { ...entry, detail });
    return true;
  }
  const next = nextOf(ctx, match, report);
  if (!next || Object.entries(next).every(([name, value]) => before[name as keyof typeof next] === value)) return false;
  if (
    next.installStatus === before.installStatus &&
    next.installedVersionId === before.installedVersionId &&
    next.statusDetail === before.statusDetail
  ) {
    await keepProgress(ctx, before.deviceInstallationId, next.progress);
    return true;
  }
  const changed = next.installStatus === before.installStatus ? sql`` : sql`status_changed = now(),`;
  const write = sql`update device_installation set installed_version_id = ${next.installedVersionId}, install_status = ${next.installStatus},
    status_detail = ${next.statusDetail}, progress = ${next.progress}, failure = ${next.failure}, failed = ${next.failed}::timestamptz, ${changed} modified = now(), version = version + 1 ${is}`;
  await writeRecorded(ctx, servedDeviceInstallations, 'update', write, before);
  if (detail !== undefined && next.installStatus === report.status) await logDevice(ctx, { ...entry, detail });
  return true;
}

/** Stores the progress of an installation for people who watch it, without an entry in the audit. */
function keepProgress(ctx: Ctx, id: string, progress: number | null) {
  return ctx.db.query({
    name: 'installation-progress',
    text: `with noted as (
  update device_installation set progress = $2 where device_installation_id = $1 returning tenant_id, device_installation_id
)
${changed(deviceInstallations, 'update', 'noted', '$3')}`,
    values: [id, progress, ctx.correlationId],
  });
}

export async function storeInstallationReports(ctx: Ctx, { reports }: InstallationReports): Promise<{ stored: number }> {
  const device = await requireAgentDevice(ctx);
  return inTransaction(ctx, async (ctx) => {
    let stored = 0;
    for (const report of reports) if (await keep(ctx, device, report)) stored += 1;
    return { stored };
  });
}
