/** The agent's executables for tests, built as by `npm run agent`, but with less compression. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { AgentPlatform } from '../platform/agent-files.ts';

const root = join(import.meta.dirname, '../../..');

/** The platform of this machine, if it runs Linux: tests build executables on Linux only. */
export const ownPlatform = process.platform === 'linux' ? (`linux-${process.arch}` as AgentPlatform) : undefined;

/**
 * Builds the agent's executable for a platform into `folder` and returns its file; `.gz`, `.zip`, checksums and signature are
 * beside the file. Returns a `reason` instead if npm cannot fetch a part; throws if the build fails otherwise.
 */
export function buildAgent(folder: string, platform: AgentPlatform, version: string): { file: string } | { reason: string } {
  const args = ['--platform', platform, '--version', version, '--out', folder, '--level', '1', '--key', `${folder}.key`];
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/agent/build.mjs'), ...args], { encoding: 'utf8' });
  if (status === 0) return { file: join(folder, `cloudfit-agent-${platform}${platform === 'win-x64' ? '.exe' : ''}`) };
  if (stderr.includes('npm cannot fetch')) return { reason: stderr.trim() };
  throw new Error(stderr);
}
