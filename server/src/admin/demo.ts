/** `demo`: fills the installation with realistic data for demonstrations and measurements. */
import { localHost } from '../platform/network.ts';
import { runLiveDemo } from './demo-live.ts';
import { ensureDemoPackages } from './demo-packages.ts';
import { fillDemo } from '../demo/fill.ts';
import { sizes, type SizeName } from '../demo/sizes.ts';
import { ensureStarterControlSet } from '../features/compliance/starter.ts';
import { ensureDemoTemplate } from './demo-template.ts';
import { UsageError, type AdminCommand } from './command.ts';
import { recordChange } from './record.ts';

function isSize(name: string): name is SizeName {
  return Object.hasOwn(sizes, name);
}

export const demo: AdminCommand = {
  name: 'demo',
  about:
    'Fills the installation with tenants, people, devices, packets, rule matches and work units. The same seed and end give the same world.',
  options: {
    size: { type: 'string', value: 'SIZE', initial: 'small', about: `One of ${Object.keys(sizes).join(', ')}.` },
    seed: { type: 'string', value: 'NUMBER', initial: '1', about: 'Another one makes another world beside the first.' },
    live: {
      type: 'boolean',
      about: 'Lets the devices report to the running server each minute until Ctrl-C; makes the data first where there is none.',
    },
    at: { type: 'string', value: 'TIME', about: 'The end of all timelines, ISO 8601; now when left out.' },
  },
  run: async ({ db, ctx, config, text, isSet }) => {
    const size = text('size');
    if (!isSize(size)) throw new UsageError(`--size is one of ${Object.keys(sizes).join(', ')}.`);
    const seed = Number(text('seed'));
    if (!Number.isInteger(seed) || seed < 1 || seed > 1_000_000) throw new UsageError('--seed is a whole number from 1 to 1000000.');
    const at = text('at') === '' ? new Date() : new Date(text('at'));
    if (Number.isNaN(at.getTime())) throw new UsageError('--at is a time such as 2026-11-21T09:00:00Z.');
    // The demo sets statuses of controls. Before a server's first start there are no controls yet, so they are created here.
    await ensureStarterControlSet(await ctx());
    await ensureDemoPackages(await ctx(), config);
    const counts = await fillDemo(db, { size: sizes[size], seed, at, progress: (line) => console.error(line) });
    if (!counts && !isSet('live'))
      throw new UsageError(`The world of seed ${seed} is in this database already; choose another --seed, or --live.`);
    if (counts) await ensureDemoTemplate(await ctx());
    if (counts)
      await recordChange(db, {
        verb: 'create',
        entity: 'demo',
        entityId: `${size} ${seed}`,
        after: { size, seed, at: at.toISOString(), ...counts },
      });
    if (isSet('live')) {
      const stopping = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
      const url = `http://${localHost(config.host)}:${config.port}`;
      const sent = await runLiveDemo({ db, ctx: await ctx(), seed, url, signal: stopping.signal, progress: (line) => console.error(line) });
      return { lines: [`${sent} packets were sent.`], json: { seed, sent } };
    }
    return { lines: [`A ${size} world was made.`], json: { size, seed, at: at.toISOString(), made: counts } };
  },
};
