/** The state of the installation as checks, each against its objective. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import type { InstallationHealth } from '@cloudfit/contract/actions/notices.ts';
import { installationTexts as t } from '@cloudfit/contract/messages/installation.en.ts';
import { span } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { sizeText } from '../../components/size-text.ts';

export type CheckLevel = 'ok' | 'attention' | 'bad';

export interface Check {
  id: string;
  label: string;
  value: string;
  objective: string;
  level: CheckLevel;
}

const maxLagSeconds = 60;
const maxWaitSeconds = 30;

const seconds = (value: number | null) => `${(value ?? 0).toFixed(value !== null && value < 10 ? 1 : 0)} s`;
const wait = (value: number) => (value < 60 ? seconds(value) : span(value * 1_000));

/** Returns the level of a delay. More than ten times its objective counts as a standstill. */
function delayLevel(value: number, objective: number): CheckLevel {
  if (value <= objective) return 'ok';
  return value <= objective * 10 ? 'attention' : 'bad';
}

function ageLevel(at: string | null, now: number, days: number): CheckLevel {
  return at !== null && now - Date.parse(at) <= days * dayMs ? 'ok' : 'attention';
}

function diskCheck({ disk }: InstallationHealth): Check {
  const percent = disk ? Math.floor((100 * disk.freeBytes) / disk.sizeBytes) : 0;
  return {
    id: 'disk',
    label: t.disk,
    value: disk ? t.diskValue(sizeText(disk.freeBytes), percent) : t.diskUnknown,
    objective: t.diskObjective,
    level: !disk || (disk.level === 'ok' && percent > 10) ? 'ok' : disk.level === 'full' ? 'bad' : 'attention',
  };
}

function clockCheck({ clock: { aheadSeconds } }: InstallationHealth): Check {
  const value = aheadSeconds === 0 ? t.clockOk : t.clockOff(wait(Math.abs(aheadSeconds)), aheadSeconds > 0);
  return { id: 'clock', label: t.clock, value, objective: t.clockObjective, level: aheadSeconds === 0 ? 'ok' : 'attention' };
}

function archiveCheck({ archive }: InstallationHealth): Check {
  const value = !archive
    ? t.archiveNone
    : archive.level === 'failing'
      ? t.archiveFailing(archive.error)
      : archive.archivedAt
        ? t.archiveOk(exactTime(archive.archivedAt))
        : t.archiveEmpty;
  return { id: 'archive', label: t.archive, value, objective: t.archiveObjective, level: archive?.level === 'failing' ? 'bad' : 'ok' };
}

function restoreCheck({ backups: { restoreDrill: drill } }: InstallationHealth, now: number): Check {
  const value = !drill ? t.backupNever : drill.failed ? t.restoreFailed(exactTime(drill.at), drill.failed) : exactTime(drill.at);
  return {
    id: 'restore',
    label: t.restore,
    value,
    objective: t.restoreObjective,
    level: drill?.failed ? 'bad' : ageLevel(drill?.at ?? null, now, 30),
  };
}

/** How many seconds accepted packets may wait to be written. */
const maxStreamSeconds = 10;

function streamCheck(stream: NonNullable<InstallationHealth['stream']>): Check {
  const { isConnected, waiting, oldestSeconds, withoutOwner } = stream;
  const value = [
    !isConnected ? t.streamAway : waiting === 0 ? t.streamNone : t.streamValue(waiting, wait(oldestSeconds)),
    withoutOwner > 0 ? t.streamUnowned(withoutOwner) : '',
  ];
  return {
    id: 'stream',
    label: t.stream,
    value: value.filter(Boolean).join('; '),
    objective: t.streamObjective,
    level: isConnected && withoutOwner === 0 ? delayLevel(oldestSeconds, maxStreamSeconds) : 'bad',
  };
}

function standbyCheck({ isRead, problem, reason, lagSeconds, reads }: NonNullable<InstallationHealth['standby']>): Check {
  const all = reads.standby + reads.primary;
  const behind = wait(lagSeconds ?? 0);
  const why = t.standbyProblems;
  const problemText = problem === 'behind' ? why.behind(behind) : problem === 'refused' ? (reason ?? '') : why[problem ?? 'lost'];
  return {
    id: 'standby',
    label: t.standby,
    value: isRead
      ? t.standbyRead(t.standbyReads(all === 0 ? 100 : Math.floor((100 * reads.standby) / all), all), behind)
      : t.standbyUnread(problemText),
    objective: t.standbyObjective,
    level: isRead ? 'ok' : problem === 'refused' ? 'bad' : 'attention',
  };
}

export function checksOf(health: InstallationHealth): readonly Check[] {
  const { ingest, rules, queues, work, mail, backups, licence, processes } = health;
  const now = Date.parse(health.at);
  const [oldest] = queues;
  const oldestSeconds = oldest?.oldestSeconds ?? 0;
  const dead = queues.reduce((sum, queue) => sum + queue.deadLetters, 0);
  const backupAt =
    [backups.backupAt, backups.baseCopyAt]
      .filter((at) => at !== null)
      .toSorted()
      .at(-1) ?? null;
  const versions = [...new Set(processes.map((process) => process.version))];
  const licenceDays = (Date.parse(licence.expires) - now) / dayMs;
  return [
    {
      id: 'ingest',
      label: t.ingest,
      value:
        ingest.entities === 0
          ? t.ingestNone
          : `${t.ingestValue(seconds(ingest.medianSeconds), seconds(ingest.p95Seconds))}; ${t.ingestEntities(ingest.entities)}`,
      objective: t.ingestObjective,
      level: ingest.entities === 0 ? 'attention' : delayLevel(ingest.p95Seconds ?? 0, maxLagSeconds),
    },
    ...(health.stream ? [streamCheck(health.stream)] : []),
    ...(health.standby ? [standbyCheck(health.standby)] : []),
    {
      id: 'rules',
      label: t.rules,
      value: [
        rules.oldestEndSeconds > 0 ? t.rulesValue(wait(rules.oldestEndSeconds)) : t.rulesNone,
        rules.failing > 0 ? t.rulesFailing(rules.failing) : '',
      ]
        .filter(Boolean)
        .join('; '),
      objective: t.rulesObjective,
      level: rules.failing > 0 ? 'attention' : delayLevel(rules.oldestEndSeconds, maxWaitSeconds),
    },
    {
      id: 'queue',
      label: t.queues,
      value: oldest && oldestSeconds > 0 ? t.queuesValue(oldest.tenantName ?? t.tenants.installation, wait(oldestSeconds)) : t.queuesNone,
      objective: t.queuesObjective,
      level: delayLevel(oldestSeconds, maxWaitSeconds),
    },
    { id: 'dead', label: t.deadLetters, value: String(dead), objective: t.deadObjective, level: dead > 0 ? 'attention' : 'ok' },
    {
      id: 'work',
      label: t.work,
      value: work.length === 0 ? t.workNone : t.workLate(work.map((periodic) => periodic.name).join(', ')),
      objective: t.workObjective,
      level: work.length === 0 ? 'ok' : 'attention',
    },
    {
      id: 'mail',
      label: t.mail,
      value: [mail.isSet ? t.mailSet : t.mailNotSet, mail.kept > 0 ? t.mailUnsent(mail.kept) : ''].filter(Boolean).join('; '),
      objective: t.mailObjective,
      level: mail.isSet && mail.kept === 0 ? 'ok' : 'attention',
    },
    clockCheck(health),
    diskCheck(health),
    archiveCheck(health),
    {
      id: 'backup',
      label: t.backup,
      value: backupAt ? exactTime(backupAt) : t.backupNever,
      objective: t.backupObjective,
      level: ageLevel(backupAt, now, 1),
    },
    restoreCheck(health, now),
    {
      id: 'versions',
      label: t.versions,
      value: t.versionsValue(processes.length, versions.join(', ')),
      objective: t.versionsObjective,
      level: versions.length > 1 ? 'attention' : 'ok',
    },
    {
      id: 'licence',
      label: t.licence,
      value: (licence.isTrial ? t.licenceTrial : t.licenceUntil)(exactTime(licence.expires)),
      objective: t.licenceObjective,
      level: licenceDays > 30 ? 'ok' : licenceDays > 0 ? 'attention' : 'bad',
    },
  ];
}
