/**
 * Brings one package to the state that its device should have: a version in use, or none. A call continues where a killed agent
 * stopped.
 */
import { chmod, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { InstallationReport } from '@cloudfit/contract/agent/installations.ts';
import type { AgentPackage } from '@cloudfit/contract/agent/messages.ts';
import type { Client } from '../connection/client.ts';
import type { Log } from '../log.ts';
import { download, type TargetVersion } from './download.ts';
import { PackageFault, reasonOf } from './fault.ts';
import { requireSpace } from './free-space.ts';
import type { InstalledPackage, InstalledRegister } from './installed.ts';
import type { PackageFolder } from './package-folder.ts';
import { runStep, type StepName } from './run-step.ts';
import { unpack } from './unpack.ts';
import { requireContent, requirePublisher, requireSignature, type PublisherTrust } from './verify.ts';

export interface ReportedStep {
  status: InstallationReport['status'];
  /** Progress in percent. */
  progress?: number;
  detail?: string;
}

export interface InstallerOptions {
  folder: PackageFolder;
  client: Client;
  register: InstalledRegister;
  /** Public keys of the server, which verify packages. */
  keys: () => readonly string[];
  trust: () => PublisherTrust;
  /**
   * Returns why a version must not be used although its `check` may succeed: a version of the agent that failed its trial.
   * Undefined when the version may be used.
   */
  refusal: (packageVersionId: string) => string | undefined;
  report: (step: ReportedStep) => void;
  log: Log;
}

/** The `install` or `check` of the new version failed, and the previous version is in use again. */
export class RolledBack extends PackageFault {}

/** The version has failed on trial, and is not tried again before somebody asks for that. */
export class RefusedVersion extends PackageFault {
  readonly isRolledBack: boolean;

  constructor(reason: string, isRolledBack: boolean) {
    super(reason);
    this.isRolledBack = isRolledBack;
  }
}

const progressMs = 1_000;

export function createInstaller({ folder, client, register, keys, trust, refusal, report, log }: InstallerOptions) {
  const { packageId } = folder;

  async function run(installed: InstalledPackage, name: StepName, signal: AbortSignal): Promise<void> {
    const step = installed.manifest[name];
    if (step) await runStep(installed, name, step, signal);
  }

  /** Runs a step that undoes something: if it fails, the failure is logged and the work continues. */
  async function tryRun(installed: InstalledPackage | undefined, name: StepName, signal: AbortSignal): Promise<void> {
    if (!installed) return;
    await run(installed, name, signal).catch((error: unknown) => log('warn', reasonOf(error)));
  }

  function progressOf(target: TargetVersion): (bytes: number) => void {
    let [reported, reportedAt] = [0, performance.now()];
    return (bytes) => {
      const progress = Math.floor((100 * bytes) / Math.max(target.fileSize, 1));
      if (progress === reported || performance.now() - reportedAt < progressMs) return;
      [reported, reportedAt] = [progress, performance.now()];
      report({ status: 'Downloading', progress });
    };
  }

  async function fetchVersion(target: TargetVersion, signal: AbortSignal): Promise<InstalledPackage> {
    const id = target.packageVersionId;
    requireSignature(packageId, target, keys());
    const file = folder.download(id);
    try {
      report({ status: 'Downloading', progress: 0 });
      await requireSpace(dirname(file), target.fileSize);
      await download({ client, packageId, target, file, onProgress: progressOf(target), log }, signal);
      signal.throwIfAborted();
      report({ status: 'Verifying' });
      await requireContent(file, target);
      report({ status: 'Installing' });
      const draft = folder.draft(id);
      await unpack(file, draft, signal);
      await chmod(join(draft, target.executableName), 0o755);
      folder.complete(id);
    } catch (error) {
      // Keeps a partial download when the work is stopped; deletes a download that is wrong or fills the disk.
      if (!signal.aborted) await discard(file, id);
      throw error;
    }
    await rm(file, { force: true });
    const next = folder.load(id);
    if (!next) throw new PackageFault(`This agent does not understand the manifest of version ${target.version}. Update the agent.`);
    return next;
  }

  async function discard(file: string, id: string): Promise<void> {
    await rm(file, { force: true });
    await rm(`${join(dirname(file), id)}.new`, { recursive: true, force: true });
  }

  /** Undoes an installation that failed or was interrupted. Returns the version that is in use again, if any. */
  async function restore(signal: AbortSignal): Promise<InstalledPackage | undefined> {
    const { current, installing } = folder.state();
    await tryRun(folder.load(installing), 'uninstall', signal);
    const back = current === installing ? undefined : folder.load(current);
    await tryRun(back, 'install', signal);
    folder.change({ installing: null, ...(back ? {} : { current: null }) });
    register.set(packageId, back);
    return back;
  }

  async function removePackage(signal: AbortSignal): Promise<void> {
    const { current, removing } = folder.state();
    if (current !== null) {
      folder.change({ current: null, previous: null, removing: current });
      register.set(packageId, undefined);
    }
    report({ status: 'Uninstalling' });
    const leaving = folder.load(current ?? removing);
    if (leaving) await run(leaving, 'uninstall', signal);
    folder.remove();
    report({ status: 'Removed' });
  }

  async function installVersion(wish: AgentPackage, target: TargetVersion, signal: AbortSignal): Promise<void> {
    const id = target.packageVersionId;
    const { current, previous, installing, removing } = folder.state();
    if (removing !== null) {
      await tryRun(folder.load(removing), 'uninstall', signal);
      folder.change({ removing: null });
    }
    if (current === id && installing === null && register.find(packageId)) {
      if (wish.installedVersionId !== id) report({ status: 'Installed' });
      folder.sweep([current, previous]);
      return;
    }
    const reason = refusal(id);
    if (reason !== undefined) {
      const inUse = installing === null ? folder.load(current) : await restore(signal);
      const back = inUse ? ` Version ${inUse.version} is in use again.` : '';
      throw new RefusedVersion(`Version ${target.version} was tried and is not used: ${reason}${back}`, inUse !== undefined);
    }
    // Also checked for a version that is unpacked already: the previous version may be of a publisher who is no longer trusted.
    requirePublisher(target, trust());
    const next = folder.load(id) ?? (await fetchVersion(target, signal));
    folder.change({ installing: id });
    try {
      report({ status: 'Installing' });
      await run(next, 'install', signal);
      report({ status: 'Checking' });
      await run(next, 'check', signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const back = await restore(signal);
      const cause = reasonOf(error);
      throw back ? new RolledBack(`${cause} Version ${back.version} is in use again.`) : new PackageFault(cause);
    }
    const before = current === id ? previous : current;
    folder.change({ current: id, previous: before, installing: null });
    register.set(packageId, next);
    report({ status: 'Installed' });
    folder.sweep([id, before]);
  }

  return {
    /** Reads from disk which version is in use, for the register. */
    open: (): void => {
      const { current } = folder.state();
      if (current !== null) register.set(packageId, folder.load(current));
    },
    /** Resolves when the wish is fulfilled; rejects with the reason why it cannot be. */
    fulfil: async (wish: AgentPackage, signal: AbortSignal): Promise<void> => {
      const { wanted: target } = wish;
      const { installing } = folder.state();
      if (installing !== null && installing !== target?.packageVersionId) await restore(signal);
      signal.throwIfAborted();
      folder.sweepDownloads(target?.packageVersionId);
      return target ? installVersion(wish, target, signal) : removePackage(signal);
    },
  };
}

export type Installer = ReturnType<typeof createInstaller>;
