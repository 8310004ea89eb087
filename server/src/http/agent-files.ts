/** `/agent/`: the agent's executables and the scripts that install it, for machines that have no sign-in yet. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { agentPlatforms, builtAgent, type AgentFolders } from '../platform/agent-files.ts';

const command = 'npm run agent';
const platformOf = new Map<string, string>(
  Object.entries(agentPlatforms).flatMap(([platform, file]) => [
    [file, platform],
    [`${file}.gz`, platform],
  ]),
);
const signatures = ['SHA256SUMS', 'SHA256SUMS.sig', 'cloudfit-agent.pub'];
const scriptTypes = new Map([
  ['install.sh', 'text/x-shellscript; charset=utf-8'],
  ['install.ps1', 'text/plain; charset=utf-8'],
]);

export interface AgentFilesOptions {
  folders: AgentFolders;
  publicUrl: string;
}

export async function mountAgentFiles(app: FastifyInstance, { folders, publicUrl }: AgentFilesOptions): Promise<void> {
  // Registers `sendFile` only, without routes: the folder of executables may appear while the server runs.
  await app.register(fastifyStatic, { root: folders.scripts, serve: false });
  const config = { measuredAs: 'agent' };

  app.get('/agent/', { config }, async (_request, reply) => {
    const built = await builtAgent(folders);
    const files = built?.files ?? [];
    const missing = Object.keys(agentPlatforms).filter((platform) => !files.some((file) => file.platform === platform));
    return reply.header('cache-control', 'no-cache').send({
      version: built?.version ?? null,
      files: files.map(({ platform, version, file, size, sha256 }) => ({
        platform,
        version,
        file,
        url: `${publicUrl}/agent/${file}`,
        size,
        sha256,
      })),
      missing,
      ...(missing.length > 0 ? { hint: `An administrator of the server builds what is missing by: ${command}` } : {}),
    });
  });

  // Not compressed per request: an executable has a hundred megabytes, and its compressed form is a separate file.
  app.get<{ Params: { file: string } }>('/agent/:file', { config, compress: false }, async (request, reply) => {
    const { file } = request.params;
    void reply.header('cache-control', 'no-cache');
    const type = scriptTypes.get(file);
    if (type !== undefined) {
      const script = await readFile(join(folders.scripts, file), 'utf8');
      return reply.type(type).send(script.replaceAll('@SERVER@', publicUrl));
    }
    const platform = platformOf.get(file);
    if (platform === undefined && !signatures.includes(file)) throw new ApiError('NotFound', 'There is no such file of the agent.');
    if (!existsSync(join(folders.built, file)))
      throw new ApiError(
        'NotFound',
        `The agent${platform ? ` for ${platform}` : ''} is not built on this server. An administrator builds it there by: ${command}`,
      );
    return reply.sendFile(file, folders.built, { cacheControl: false });
  });
}
