/** The agent's executables that `npm run agent` has built, and the scripts that install them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const agentFolder = join(import.meta.dirname, '../../../agent');

export interface AgentFolders {
  /** Executables and their index. */
  built: string;
  /** install.sh and install.ps1. */
  scripts: string;
}

export const agentFolders: AgentFolders = { built: join(agentFolder, 'dist'), scripts: join(agentFolder, 'install') };

/** Every platform that an executable can be built for. */
export const agentPlatforms = {
  'linux-x64': 'cloudfit-agent-linux-x64',
  'linux-arm64': 'cloudfit-agent-linux-arm64',
  'win-x64': 'cloudfit-agent-win-x64.exe',
} as const;
export type AgentPlatform = keyof typeof agentPlatforms;

const index = z.object({
  version: z.string(),
  files: z.array(
    z.object({
      platform: z.enum(['linux-x64', 'linux-arm64', 'win-x64']),
      version: z.string(),
      file: z.string(),
      size: z.int(),
      sha256: z.string(),
    }),
  ),
});
export type BuiltAgent = z.infer<typeof index>;

/** The built executables; undefined when there are none. */
export async function builtAgent({ built }: AgentFolders): Promise<BuiltAgent | undefined> {
  const text = await readFile(join(built, 'index.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : index.parse(JSON.parse(text));
}
