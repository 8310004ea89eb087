/**
 * Knows messages of version 3 that come again (RFC 3414, 3.2, 7): by the boots and time of the engine that has sent them, and within the
 * window of 150 seconds by their bytes. What it knows is in a file, so a restart forgets nothing.
 */
import { closeSync, openSync, readFileSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const windowSeconds = 150;
const bootsMax = 2_147_483_647;
const enginesMax = 10_000;
const digestsMax = 20_000;
const fileBytes = 4_194_304;

export function openReplays(folder, now = () => Date.now() / 1_000) {
  const file = join(folder, 'engines.log');
  /** The latest boots and time of each engine, and when they came. */
  const engines = new Map();
  /** Digests of what was taken lately. Those to our own engine have no time of their own, so the last ones are kept. */
  const digests = new Map();

  const forgetOldest = (map, max) => {
    while (map.size > max) map.delete(map.keys().next().value);
  };

  function note({ engineId, boots, time, at, digest }) {
    const before = engines.get(engineId);
    if (!before || boots > before.boots || (boots === before.boots && time >= before.time)) {
      engines.delete(engineId);
      engines.set(engineId, { boots, time, at });
      forgetOldest(engines, enginesMax);
    }
    digests.set(digest, at);
    forgetOldest(digests, digestsMax);
  }

  try {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [engineId, boots, time, at, digest] = line.split(' ');
      if (digest) note({ engineId, boots: Number(boots), time: Number(time), at: Number(at), digest });
    }
  } catch {
    // The first start.
  }

  const lineOf = ({ engineId, boots, time, at, digest }) => `${engineId} ${boots} ${time} ${Math.round(at)} ${digest}\n`;
  let fd;

  /** Writes the file again, with what still counts. */
  function compact() {
    if (fd !== undefined) closeSync(fd);
    const times = [...engines].map(([engineId, engine]) => lineOf({ engineId, ...engine, digest: '-' }));
    const lately = [...digests].map(([digest, at]) => lineOf({ engineId: '-', boots: 0, time: 0, at, digest }));
    writeFileSync(`${file}.new`, [...lately, ...times].join(''), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    fd = openSync(file, 'a', 0o600);
  }

  function keep(entry) {
    try {
      if (fd === undefined || statSync(file).size > fileBytes) compact();
      writeSync(fd, lineOf(entry));
    } catch {
      // On a full disk, this process still knows it.
    }
  }

  return {
    /** Why a message is one that came before; undefined for a new one, which is noted. `isOurs`: our engine decides about its time. */
    check: ({ engineId, boots, time, digest }, isOurs = false) => {
      const at = now();
      if (digests.has(digest)) return 'this trap has come before.';
      const engine = isOurs ? undefined : engines.get(engineId);
      if (engine) {
        if (boots === bootsMax) return 'its engine has started too often and must get a new id.';
        if (boots < engine.boots) return `its engine had started ${engine.boots} times before, and the trap is of start ${boots}.`;
        // The clock of the engine goes on while it is silent.
        const expected = engine.time + Math.max(0, at - engine.at);
        if (boots === engine.boots && time < expected - windowSeconds)
          return `the trap is ${Math.round(expected - time)} seconds old by the clock of its engine; ${windowSeconds} are allowed.`;
      }
      const entry = { engineId, boots, time, at, digest };
      note(entry);
      keep(entry);
      return undefined;
    },
  };
}
