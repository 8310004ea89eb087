/** For tests: the scripts of the built-in packages, started as an agent starts them, and servers of the test for them to ask. */
import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:dgram';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtInNames, filesOfBuiltIn } from '../features/packages/built-in.ts';

const sources = fileURLToPath(new URL('../../packages', import.meta.url));

export interface ScriptRun {
  code: number;
  output: string;
  errors: string;
  report: {
    status?: string;
    value?: unknown;
    metrics?: Record<string, number>;
    states?: Record<string, string>;
    diagnostics?: Record<string, unknown>;
    message?: string;
  };
}

export type Scripts = Awaited<ReturnType<typeof createScripts>>;

/** Ends a program of the test, and waits until it no longer writes. */
export async function ended(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || !program.kill()) return;
  await once(program, 'exit');
}

/** `only`: the packages that the test needs; by default all. */
export async function createScripts(only?: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'built-in-scripts-'));
  const servers: (Server | HttpServer | Socket)[] = [];
  for (const name of only ?? (await builtInNames(sources))) {
    const target = join(folder, name, '1.0.0');
    mkdirSync(target, { recursive: true });
    for (const [file, content] of await filesOfBuiltIn(sources, name)) writeFileSync(join(target, file), content);
  }
  async function listening<T extends Server | HttpServer>(server: T, address = '127.0.0.1'): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    return (server.address() as AddressInfo).port;
  }
  return {
    folder,
    listening,
    /** A port of this machine on which nothing listens. */
    closedPort: async (): Promise<number> => {
      const server = createTcpServer();
      const port = await listening(server);
      await new Promise((resolve) => server.close(resolve));
      return port;
    },
    bound: async (socket: Socket): Promise<number> => {
      servers.push(socket);
      await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
      return socket.address().port;
    },
    /** Runs an operation. `variables` of its environment are secrets, or what else the agent sets. */
    run: (
      name: string,
      operation: string,
      parameters: Record<string, string> = {},
      variables: Record<string, string> = {},
    ): Promise<ScriptRun> => {
      const cwd = join(folder, name, '1.0.0');
      const env = {
        PATH: process.env['PATH'],
        ...variables,
        CLOUDFIT_OPERATION: operation,
        CLOUDFIT_PARAMETERS: JSON.stringify(parameters),
      };
      return new Promise((resolve) => {
        execFile(process.execPath, [join(cwd, `${name}.mjs`)], { cwd, env, maxBuffer: 64 * 1024 ** 2 }, (error, output, errors) => {
          const line = output.split('\n').find((line) => line.startsWith('{'));
          const report = line === undefined ? {} : (JSON.parse(line) as ScriptRun['report']);
          resolve({ code: error ? Number(error.code) : 0, output, errors, report });
        });
      });
    },
    close: () => {
      for (const server of servers) server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
