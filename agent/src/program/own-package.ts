/** The agent's own next version comes as a package of the type AgentLogic: it is tried when it is installed. */
import { basename, join } from 'node:path';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import type { Log } from '../log.ts';
import type { InstalledPackages } from '../packages/installed.ts';
import type { Signal } from '../signal.ts';
import { agentVersion } from '../version.ts';
import { openPackageFolder } from '../packages/package-folder.ts';
import { openProgramState, type ProgramState } from './program-state.ts';

/** AgentLogic of `packageTypes`. */
const agentLogic = 4;
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

/** Call it before packages are opened: a version that did not report is not the one in use, whatever its package says. */
export function takeBackRefused(stateDir: string, state: ProgramState): void {
  const refused = state.refused();
  if (!refused) return;
  const folder = openPackageFolder(join(stateDir, 'packages'), refused.packageId);
  const { current, previous } = folder.state();
  if (current === refused.packageVersionId) folder.change({ current: previous, previous: null });
}

/**
 * `--check`, the check of the agent's own package, run in the package's folder: that this executable starts was seen by then.
 * Fails for a version that was tried on this machine and did not report, so that the package's state tells the reason.
 */
export function checkOwnPackage(folder: string): void {
  const refused = openProgramState(join(folder, '../../..')).refused();
  if (refused?.packageVersionId === basename(folder)) {
    process.stdout.write(`${refused.reason}\n`);
    process.exitCode = 1;
  } else process.stdout.write(`${agentVersion}\n`);
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
    const ownPackages = (configuration()?.packages ?? []).filter(({ packageTypeId }) => packageTypeId === agentLogic);
    const next = ownPackages.map(({ packageId }) => installed.find(packageId)).find((one) => one !== undefined);
    if (refused && configuration() && !ownPackages.some(({ wanted: target }) => target?.packageVersionId === refused.packageVersionId))
      state.noteRefused('forgotten');
    if (next && next.version !== agentVersion && next.packageVersionId !== refused?.packageVersionId) {
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
