/**
 * Keeps the packages of this machine at the versions that its configuration names. Each package has a worker, which a new wish
 * replaces.
 */
import { join } from 'node:path';
import { backoffMs, doublingDelays } from '@cloudfit/contract/backoff.ts';
import type { AgentConfiguration, AgentPackage } from '@cloudfit/contract/agent/messages.ts';
import { withNextTry } from '@cloudfit/contract/agent/installations.ts';
import type { Client } from '../connection/client.ts';
import type { Clock } from '../connection/clock.ts';
import type { Log } from '../log.ts';
import type { Signal } from '../signal.ts';
import { wait } from '../wait.ts';
import { reasonOf } from './fault.ts';
import { createInstalledRegister, type InstalledPackages } from './installed.ts';
import { createInstaller, RefusedVersion, RolledBack, type Installer, type InstallerOptions, type ReportedStep } from './installer.ts';
import { openKeyFile } from './key-file.ts';
import { openPackageFolder, packageIdsIn } from './package-folder.ts';
import { createReportQueue } from './reports.ts';
import { createTurns } from './turns.ts';
import type { PublisherTrust } from './verify.ts';

/** Milliseconds between two tries after a failure. */
const delaysMs = doublingDelays(60_000, 3_600_000);
/** The maximum number of packages that are handled at a time. */
const atOnce = 2;
const idleMs = 3_600_000;

interface PackagesOptions extends Pick<InstallerOptions, 'refusal'> {
  stateDir: string;
  client: Client;
  clock: Clock;
  log: Log;
}

export interface Packages {
  installed: InstalledPackages;
  /** Stores the server's public keys at the first registration. At further registrations, logs an error for other keys. */
  pinKeys(keys: readonly string[]): void;
  /** Removes every package, also one whose `uninstall` fails: the names, and what went wrong. After `follow` has ended. */
  removeAll(signal: AbortSignal): Promise<{ removed: string[]; failed: string[] }>;
  /** Installs, updates and removes packages as configured, until `signal` aborts. */
  follow(configuration: () => AgentConfiguration | undefined, changed: Signal, signal: AbortSignal): Promise<void>;
}

interface PackageWorker {
  /** A text that identifies the wish. */
  wish: string;
  stop: AbortController;
  done: Promise<void>;
}

const wishOf = ({ wanted: target, wishNumber }: AgentPackage): string => `${wishNumber} ${target?.packageVersionId ?? 'none'}`;

/** The wish that a package is removed. */
const removalOf = (packageId: string, name: string): AgentPackage => ({
  packageId,
  name,
  packageTypeId: 0,
  executableTypeId: 0,
  installedVersionId: null,
  wanted: null,
  wishNumber: 0,
});

export function createPackages({ stateDir, client, clock, refusal, log }: PackagesOptions): Packages {
  const root = join(stateDir, 'packages');
  const register = createInstalledRegister();
  const keyFile = openKeyFile(stateDir);
  const queue = createReportQueue({ client, log });
  const turn = createTurns(atOnce);
  const workers = new Map<string, PackageWorker>();
  let trust: PublisherTrust = { publishers: [], onlyTrustedPublishers: false };
  const openPackage = (packageId: string, report: (step: ReportedStep) => void): Installer =>
    createInstaller({
      folder: openPackageFolder(root, packageId),
      client,
      register,
      keys: keyFile.read,
      trust: () => trust,
      refusal,
      report,
      log,
    });
  for (const packageId of packageIdsIn(root)) openPackage(packageId, () => undefined).open();

  async function work(wish: AgentPackage, signal: AbortSignal): Promise<void> {
    const { packageId, wishNumber, wanted: target, name } = wish;
    const report = ({ status, progress, detail }: ReportedStep): void =>
      queue.add({
        packageId,
        wantedVersionId: target?.packageVersionId ?? null,
        wishNumber,
        status,
        progress: progress ?? null,
        detail: detail ?? null,
        installedVersionId: register.find(packageId)?.packageVersionId ?? null,
      });
    const installer = openPackage(packageId, report);
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await turn(() => installer.fulfil(wish, signal), signal);
        log('trace', `The package ${name} is as the server wishes.`);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const pauseMs = backoffMs(failures, { delaysMs, jitter: [0.75, 1] });
        const status = error instanceof RolledBack ? 'RolledBack' : target ? 'InstallFailed' : 'UninstallFailed';
        const reason = reasonOf(error);
        if (error instanceof RefusedVersion) {
          // The trial has logged it.
          report({ status: error.isRolledBack ? 'RolledBack' : 'InstallFailed', detail: reason });
          return;
        }
        log('error', `The package ${name} could not be ${target ? `brought to version ${target.version}` : 'removed'}: ${reason}`);
        report({ status, detail: withNextTry(reason, new Date(clock.now().getTime() + pauseMs)) });
        await wait(pauseMs, signal);
      }
    }
  }

  function start(wish: AgentPackage, ending: AbortSignal): void {
    const before = workers.get(wish.packageId);
    if (before?.wish === wishOf(wish)) return;
    before?.stop.abort();
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, ending]);
    const done = Promise.resolve(before?.done).then(() => work(wish, signal));
    workers.set(wish.packageId, { wish: wishOf(wish), stop, done });
  }

  /** Returns wishes to remove packages that the configuration does not name: withdrawn, or of a device that was deleted. */
  function leftOver({ packages }: AgentConfiguration): AgentPackage[] {
    const wished = new Set(packages.map(({ packageId }) => packageId));
    return [...new Set([...packageIdsIn(root), ...workers.keys()])]
      .filter((packageId) => !wished.has(packageId))
      .map((packageId) => removalOf(packageId, register.find(packageId)?.manifest.name ?? packageId));
  }

  return {
    installed: register,
    pinKeys: (keys) => {
      if (!keyFile.pin(keys))
        log('error', `The server has other keys for packages than at the enrolment of this agent; its packages are refused.`);
    },
    removeAll: async (signal) => {
      const [removed, failed]: [string[], string[]] = [[], []];
      for (const packageId of packageIdsIn(root)) {
        if (signal.aborted) break;
        const name = register.find(packageId)?.manifest.name ?? packageId;
        try {
          await openPackage(packageId, () => undefined).fulfil(removalOf(packageId, name), signal);
          removed.push(name);
        } catch (error) {
          failed.push(`package ${name}: ${reasonOf(error)}`);
        }
      }
      return { removed, failed };
    },
    follow: async (configuration, changed, signal) => {
      const sending = queue.send(signal);
      while (!signal.aborted) {
        const wished = configuration();
        if (wished) trust = wished;
        if (wished?.enabled) for (const wish of [...wished.packages, ...leftOver(wished)]) start(wish, signal);
        await changed.wait(idleMs, signal);
      }
      await Promise.all([sending, ...[...workers.values()].map(({ done }) => done)]);
    },
  };
}
