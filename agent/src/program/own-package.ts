/**
 * Updates of the agent: the next version comes as a package of type AgentLogic, AgentRunner or AgentUpdater, and goes on trial
 * when it is installed. Every executable contains logic, runner and updater.
 */
import { join } from 'node:path';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import type { Log } from '../log.ts';
import { packageTypes } from '@cloudfit/contract/enums.ts';
import type { InstalledPackage, InstalledPackages } from '../packages/installed.ts';
import type { Signal } from '../signal.ts';
import { agentVersion } from '../version.ts';
import { openPackageFolder } from '../packages/package-folder.ts';
import { isNewer, type ProgramState } from './program-state.ts';

const ownTypes = new Set<number>(packageTypes.filter(({ label }) => label.startsWith('Agent')).map(({ value }) => value));
const idleMs = 3_600_000;

export interface OwnPackageOptions {
  configuration: () => AgentConfiguration | undefined;
  configurationChanged: Signal;
  installed: InstalledPackages;
  state: ProgramState;
  /** Whether another executable can take over at the next start. */
  canSwitch: boolean;
  log: Log;
}

/** If the current version of the agent's package was refused, makes the previous one current. Call before `createPackages`. */
export function takeBackRefused(stateDir: string, state: ProgramState): void {
  const refused = state.refused();
  if (!refused) return;
  const folder = openPackageFolder(join(stateDir, 'packages'), refused.packageId);
  const { current, previous } = folder.state();
  if (current === refused.packageVersionId) folder.change({ current: previous, previous: null });
}

/** Returns the newest version that was not refused; by another choice, several packages would replace each other in turn. */
function newestOf(candidates: readonly (InstalledPackage | undefined)[], refusedId: string | undefined): InstalledPackage | undefined {
  return candidates.reduce(
    (best, candidate) =>
      candidate && candidate.packageVersionId !== refusedId && (!best || isNewer(candidate.version, best.version)) ? candidate : best,
    undefined,
  );
}

/** Resolves when a new version is to take over by a restart, or when `signal` aborts. */
export async function awaitOwnVersion(options: OwnPackageOptions, signal: AbortSignal): Promise<'switch' | 'stopped'> {
  const { configuration, configurationChanged, installed, state, canSwitch, log } = options;
  while (!signal.aborted) {
    const refused = state.refused();
    if (refused && !refused.isReported) {
      log('error', `Version ${refused.version} of the agent is not used: ${refused.reason} Version ${agentVersion} runs.`);
      state.noteRefused('reported');
    }
    const ownPackages = (configuration()?.packages ?? []).filter(({ packageTypeId }) => ownTypes.has(packageTypeId));
    const next = newestOf(
      ownPackages.map(({ packageId }) => installed.find(packageId)),
      refused?.packageVersionId,
    );
    if (refused && configuration() && !ownPackages.some(({ wanted: target }) => target?.packageVersionId === refused.packageVersionId))
      state.noteRefused('forgotten');
    if (next && next.version !== agentVersion) {
      if (canSwitch) {
        log('info', `Version ${next.version} of the agent is tried.`);
        state.propose(join(next.folder, next.manifest.executable), next);
        return 'switch';
      }
      log('warn', `Version ${next.version} of the agent is not used: this agent was started without --supervise.`);
    }
    const woken = new AbortController();
    const either = AbortSignal.any([signal, woken.signal]);
    await Promise.race([installed.changed, configurationChanged].map((changed) => changed.wait(idleMs, either)));
    woken.abort();
  }
  return 'stopped';
}
