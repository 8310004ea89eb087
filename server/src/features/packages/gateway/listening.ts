/** For tests: the listeners of the package Gateway, as an agent starts them, and what they hand over. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createScripts, type Scripts } from '../../../testing/scripts.ts';

export const openssl = (cwd: string, ...args: string[]): Buffer => execFileSync('openssl', args, { cwd, stdio: 'pipe' });

export type HandedItem = Record<string, unknown> & { refusal?: { code: string; message: string }; count?: number };

export interface TestListener {
  folder: string;
  output(): string;
  errors(): string;
  items(): HandedItem[];
  /** Waits until the items meet a condition, and returns them. */
  until(what: string, isMet: (items: HandedItem[]) => boolean): Promise<HandedItem[]>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  exit: Promise<number | null>;
}

export async function until(what: string, isMet: () => boolean, more: () => string): Promise<void> {
  for (const end = Date.now() + 15_000; !isMet();) {
    if (Date.now() > end) throw new Error(`Did not come about: ${what}\n${more()}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

export interface Listeners {
  scripts: Scripts;
  /** Starts a listener, and waits until it listens or has ended. A later one may have the folder of an earlier one. */
  listen(operation: string, parameters: Record<string, string>, secrets?: Record<string, string>, folder?: string): Promise<TestListener>;
  /** Stops the listeners of a test. */
  stopAll(): Promise<void>;
}

export async function createListeners(): Promise<Listeners> {
  const scripts = await createScripts(['gateway']);
  const started: TestListener[] = [];
  let count = 0;

  async function listen(
    operation: string,
    parameters: Record<string, string>,
    secrets: Record<string, string> = {},
    folder?: string,
  ): Promise<TestListener> {
    const cwd = join(scripts.folder, 'gateway', '1.0.0');
    const items = folder ?? join(scripts.folder, `items-${(count += 1)}`);
    const child: ChildProcess = spawn(process.execPath, [join(cwd, 'gateway.mjs')], {
      cwd,
      env: {
        PATH: process.env['PATH'],
        CLOUDFIT_OPERATION: operation,
        CLOUDFIT_PARAMETERS: JSON.stringify({ 'Allowed senders': '127.0.0.0/8', ...parameters }),
        CLOUDFIT_ITEMS: items,
        CLOUDFIT_DEVICE_OPERATION: 'test',
        ...Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`CLOUDFIT_SECRET_${name}`, value])),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [output, errors] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    let isOver = false;
    const exit = new Promise<number | null>((resolve) =>
      child.once('exit', (code) => {
        isOver = true;
        resolve(code);
      }),
    );
    const read = (): HandedItem[] =>
      (existsSync(items) ? readdirSync(items) : [])
        .filter((name) => name.endsWith('.ndjson'))
        .toSorted()
        .flatMap((name) => readFileSync(join(items, name), 'utf8').split('\n'))
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as HandedItem);
    const listener: TestListener = {
      folder: items,
      output: () => output,
      errors: () => errors,
      items: read,
      until: async (what, isMet) => {
        await until(
          what,
          () => isMet(read()),
          () => JSON.stringify(read(), null, 1) + output + errors,
        );
        return read();
      },
      stop: async (signal = 'SIGTERM') => {
        if (!isOver) child.kill(signal);
        await exit;
      },
      exit,
    };
    started.push(listener);
    await until(
      'the listener starts',
      () => isOver || output.includes('"Listening"'),
      () => errors,
    );
    return listener;
  }

  return {
    scripts,
    listen,
    stopAll: async () => {
      for (const listener of started.splice(0)) await listener.stop();
    },
  };
}

/** Sends datagrams from an address of this machine. */
export async function datagrams(port: number, messages: readonly (string | Buffer)[], from = '127.0.0.1'): Promise<void> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, from, resolve));
  for (const message of messages) await new Promise((resolve) => socket.send(message, port, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => socket.close(() => resolve()));
}

export const codes = (items: HandedItem[]): string[] => items.flatMap(({ refusal }) => refusal?.code ?? []);
export const counted = (items: HandedItem[], code: string): number =>
  items.filter(({ refusal }) => refusal?.code === code).reduce((sum, { count = 0 }) => sum + count, 0);
export const texts = (items: HandedItem[]): string[] => items.flatMap(({ text }) => (typeof text === 'string' ? text : []));
