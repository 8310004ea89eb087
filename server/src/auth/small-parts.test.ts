import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isPermission, viewMine } from '@cloudfit/contract/permissions.ts';
import { claimAt, groupValues } from './claims.ts';
import { createIntegrationToken, isWellFormedIntegrationToken } from './integration-token.ts';
import { loopbackRedirect } from './loopback.ts';
import { loadMasterKey, masterKeyOf } from './master-key.ts';
import { passwordProblem } from './passwords.ts';
import { shippedSets } from './shipped.ts';

describe('group claims', () => {
  it('are read from a list, or a text with commas or spaces', () => {
    expect(groupValues(['b', 'a', 'b', 3, ''])).toEqual(['a', 'b']);
    expect(groupValues('night shift, desk,')).toEqual(['desk', 'night shift']);
    expect(groupValues('ops  desk')).toEqual(['desk', 'ops']);
    expect(groupValues(undefined)).toEqual([]);
    expect(groupValues({ a: 1 })).toEqual([]);
  });

  it('are found at a path, or by a name that holds dots', () => {
    expect(claimAt({ resource_access: { cloudfit: { roles: ['x'] } } }, 'resource_access.cloudfit.roles')).toEqual(['x']);
    expect(claimAt({ 'https://example.org/groups': 'a' }, 'https://example.org/groups')).toBe('a');
    expect(claimAt({ groups: 'a' }, 'groups.inner')).toBeUndefined();
  });
});

describe('tenant tokens', () => {
  it('have 43 random characters and a checksum that catches every single mistyped one', () => {
    const { token, hint } = createIntegrationToken();
    expect(token).toMatch(/^cfst_[0-9A-Za-z]{49}$/);
    expect(hint).toBe(`cfst_…${token.slice(-4)}`);
    expect(isWellFormedIntegrationToken(token)).toBe(true);
    for (let i = 5; i < token.length; i++) {
      const wrong = token.slice(0, i) + (token[i] === 'x' ? 'y' : 'x') + token.slice(i + 1);
      expect(isWellFormedIntegrationToken(wrong)).toBe(false);
    }
    expect(isWellFormedIntegrationToken(`${token}x`)).toBe(false);
  });
});

describe('master key', () => {
  const key = () => randomBytes(32).toString('base64');

  it('opens what it sealed, for the same purpose only, also after a newer key was put in front', () => {
    const old = key();
    const sealed = masterKeyOf([old]).seal('secret', 'tenant a');
    expect(JSON.stringify(sealed)).not.toContain('secret');
    expect(masterKeyOf([key(), old]).open(sealed, 'tenant a')).toBe('secret');
    expect(() => masterKeyOf([old]).open(sealed, 'tenant b')).toThrow(/authenticate/);
    expect(() => masterKeyOf([key()]).open(sealed, 'tenant a')).toThrow(/is missing: set MASTER_KEY/);
  });

  it('is made once in the data folder, readable by its owner alone', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'cloudfit-key-'));
    const lines: string[] = [];
    const load = () => loadMasterKey({ dataDir, log: { warn: (line) => lines.push(line) } });
    const [first, second] = await Promise.all([load(), load()]);
    expect(second.open(first.seal('x', 'p'), 'p')).toBe('x');
    expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600);
    expect(Buffer.from(await readFile(join(dataDir, 'master.key'), 'utf8'), 'base64')).toHaveLength(32);
    expect(lines[0]).toContain('A master key was made');
    await expect(loadMasterKey({ dataDir, masterKeyFile: join(dataDir, 'none'), log: { warn: () => undefined } })).rejects.toThrow(
      /cannot be read/,
    );
    await rm(dataDir, { recursive: true });
  });
});

describe('passwords', () => {
  it('need twelve characters and must not be the user name', () => {
    expect(passwordProblem('elevenchars', 'ada@example.org')).toContain('at least 12');
    expect(passwordProblem('ada@example.org', 'ada@example.org')).toContain('user name');
    expect(passwordProblem('administrator1', 'administrator@localhost')).toContain('user name');
    expect(passwordProblem('aaaaaaaaaaaaaa', 'ada@example.org')).toContain('different');
    expect(passwordProblem('violet tractor lantern', 'ada@example.org')).toBeUndefined();
  });
});

describe('shipped permission sets', () => {
  it('hold known permissions once; the resolution center holds its one', () => {
    for (const set of Object.values(shippedSets)) {
      expect(set.permissions.every(isPermission)).toBe(true);
      expect(new Set(set.permissions).size).toBe(set.permissions.length);
    }
    expect(shippedSets.resolutionCenter.permissions).toEqual([viewMine]);
    expect(shippedSets.reader.permissions.filter((p) => !p.endsWith(':view'))).toEqual([]);
  });
});

describe('names of this machine', () => {
  it('lead to the public one, and nothing else does', () => {
    expect(loopbackRedirect('http://localhost:8080', '127.0.0.1:8080', '/a?b')).toBe('http://localhost:8080/a?b');
    expect(loopbackRedirect('http://localhost:8080', 'localhost:8080', '/')).toBeUndefined();
    expect(loopbackRedirect('https://ops.example.org', '127.0.0.1:8080', '/')).toBeUndefined();
    expect(loopbackRedirect('http://localhost:8080', 'evil.example', '/')).toBeUndefined();
    expect(loopbackRedirect('http://localhost:8080', undefined, '/')).toBeUndefined();
  });
});
