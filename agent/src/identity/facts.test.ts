import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedFacts } from '@cloudfit/contract/agent/machine-facts.ts';
import { hashOf, readFacts } from './facts.ts';
import { newKey, openIdentityFile } from './identity-file.ts';
import { checkMachine } from './other-machine.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-facts-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}
const card = (name: string, address: string) => ({
  [`sys/class/net/${name}/device/vendor`]: '1',
  [`sys/class/net/${name}/address`]: `${address}\n`,
});
const machine = {
  'etc/machine-id': '4f1c2f0e0c5d4f7e9b0a1d2c3b4a5968\n',
  'sys/class/dmi/id/product_uuid': '4C4C4544-0051-4310-8052-B4C04F4E5931\n',
  ...card('eth0', '52:54:00:12:34:56'),
};

describe.skipIf(process.platform !== 'linux')('the facts of a machine', () => {
  it('are hashes of its system, hardware and first physical network card', () => {
    put({ ...machine, 'sys/class/net/docker0/address': '02:42:ac:11:00:02\n', ...card('eth1', '52:54:00:00:00:01') });
    expect(readFacts(root)).toEqual({
      system: hashOf('system', '4f1c2f0e0c5d4f7e9b0a1d2c3b4a5968'),
      hardware: hashOf('hardware', '4c4c4544-0051-4310-8052-b4c04f4e5931'),
      networkCard: hashOf('networkCard', '52:54:00:12:34:56'),
    });
    expect(JSON.stringify(readFacts(root))).not.toContain('4f1c2f0e');
  });

  it.each([
    ['without any of them, as in a container', {}],
    [
      'with ids that nobody has set',
      {
        'etc/machine-id': 'uninitialized\n',
        'sys/class/dmi/id/product_uuid': '00000000-0000-0000-0000-000000000000\n',
        'sys/class/dmi/id/product_serial': 'To be filled by O.E.M.\n',
        ...card('eth0', '00:00:00:00:00:00'),
      },
    ],
    ['with an empty machine-id and a virtual card', { 'etc/machine-id': '', 'sys/class/net/eth0/address': '02:42:ac:11:00:02\n' }],
  ])('are not known %s, and then count as unchanged', (_what, files) => {
    put(files);
    const facts = readFacts(root);
    expect(Object.values(facts).filter((value) => value !== undefined)).toEqual([]);
    put(machine);
    expect([changedFacts(facts, readFacts(root)), changedFacts(readFacts(root), facts)]).toEqual([[], []]);
  });

  it('take another id of the hardware if only root may read the first', () => {
    put({ 'sys/class/dmi/id/board_serial': 'ABC123\n' });
    expect(readFacts(root).hardware).toBe(hashOf('hardware', 'abc123'));
  });

  it('keep the network card that was the first as long as it is there', () => {
    put(machine);
    const before = readFacts(root);
    put(card('enp0s1', '52:54:00:99:99:99'));
    expect(readFacts(root, before)).toEqual(before);
    expect(changedFacts(before, readFacts(root))).toEqual(['networkCard']);
  });
});

describe.skipIf(process.platform !== 'linux')('a state folder', () => {
  let lines: string[];
  const state = () => join(root, 'state');
  const check = () =>
    checkMachine(
      state(),
      openIdentityFile(state()),
      readFacts(root, openIdentityFile(state()).read()?.facts),
      (_level, text) => void lines.push(text),
    );
  const identity = () => openIdentityFile(state()).read();

  beforeEach(async () => {
    lines = [];
    put({
      ...machine,
      'state/machine-key': 'old',
      'state/outbox/000000000001.ndjson': '{}\n',
      'state/configuration.json': '{}',
      'state/packages/kept': '',
    });
    const enrolment = { registrationId: 'r', audience: 'a' };
    openIdentityFile(state()).write({ key: await newKey(), keyCreated: new Date().toISOString(), enrolment });
    await check();
  });

  it('learns the facts of its machine, and keeps its identity when one of them changes', async () => {
    const before = identity();
    expect([lines, before?.facts]).toEqual([[], readFacts(root)]);
    put(card('eth0', '52:54:00:00:00:02'));
    await check();
    await check();
    expect(lines).toEqual(['This machine has changed: the first network card is another one than before.']);
    expect(identity()).toEqual({ ...before, facts: readFacts(root) });
  });

  it('becomes that of a new machine when two change, without what belongs to the old device', async () => {
    const before = identity();
    put({ 'etc/machine-id': 'a'.repeat(31) + '1', ...card('eth0', '52:54:00:00:00:02') });
    await check();
    const after = identity();
    expect(lines).toEqual([
      expect.stringMatching(
        /^This is another machine than the one that was enrolled \(the id of the installed system and the first network card changed\)/,
      ),
    ]);
    expect(after?.key.x).not.toBe(before?.key.x);
    expect(after).toMatchObject({ facts: readFacts(root), copiedFrom: { key: before?.key, enrolment: before?.enrolment } });
    expect(after?.enrolment).toBeUndefined();
    expect(readFileSync(join(state(), 'machine-key'), 'utf8')).not.toBe('old');
    expect(() => readFileSync(join(state(), 'outbox/000000000001.ndjson'))).toThrow(/ENOENT/);
    expect(() => readFileSync(join(state(), 'configuration.json'))).toThrow(/ENOENT/);
    expect(readFileSync(join(state(), 'packages/kept'), 'utf8')).toBe('');
    await check();
    expect(identity()).toEqual(after);
  });

  it('is unchanged when facts can no longer be read', async () => {
    const before = identity();
    rmSync(join(root, 'etc'), { recursive: true });
    rmSync(join(root, 'sys'), { recursive: true });
    await check();
    expect([lines, identity()]).toEqual([[], before]);
  });
});
