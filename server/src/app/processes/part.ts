/** The side of a process that a supervising process has started. */
import cluster from 'node:cluster';
import type { App } from '../app.ts';
import type { Config } from '../../platform/config.ts';
import { beatMs, type ProcessPart, type ToProcess, type ToSupervisor } from './messages.ts';

export interface OwnPart {
  part: ProcessPart;
  settings: Pick<Config, 'roles' | 'dbPool'>;
  /** Says that the process has started, and that it lives from now on. */
  ready(app: App): void;
  /** Says why the process ends; resolves when that has been sent. */
  failed(message: string): Promise<void>;
}

const send = (message: ToSupervisor): void => void process.send?.(message, undefined, {}, () => undefined);

/** Asks the supervising process for this process's part; returns nothing when there is none. `stop`: called when it wants this one to end. */
export async function ownPart(stop: () => void): Promise<OwnPart | undefined> {
  if (!cluster.isWorker) return undefined;
  const started = Promise.withResolvers<Extract<ToProcess, { type: 'start' }>>();
  let app: App | undefined;
  process.on('message', (message: ToProcess) => {
    if (message.type === 'start') started.resolve(message);
    else if (message.type === 'drain') app?.drain();
    else if (message.type === 'stop') stop();
    else
      void app
        ?.readMetrics?.(message.isShared)
        .catch(() => '')
        .then((text) => send({ type: 'metrics', question: message.question, text }));
  });
  send({ type: 'hello' });
  const { part, settings } = await started.promise;
  // As `ps` shows it.
  process.title = `cloudfit ${part.name}`;
  return {
    part,
    settings,
    ready(running) {
      app = running;
      send({ type: 'ready', address: running.address ?? null, setPasswordLink: running.setPasswordLink ?? null });
      setInterval(() => send({ type: 'beat' }), beatMs).unref();
    },
    failed: (message) => new Promise((done) => process.send?.({ type: 'failed', message }, undefined, {}, () => done())),
  };
}
