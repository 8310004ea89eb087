import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namesOfPeople } from '@cloudfit/contract/actions/people.ts';
import { readSeries } from '@cloudfit/contract/actions/series/series.ts';
import { maintenanceHeld, maintenanceNow } from '@cloudfit/contract/maintenance/calls.ts';
import { allPermissions, areas, isPermission, permissionVerbs, viewMine } from '@cloudfit/contract/permissions.ts';
import type { Logger } from 'pino';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { escalationFaults, permissionsOfSet } from './escalation-faults.ts';
import { claimAt, groupValues, textClaim } from './claims.ts';
import { accessOf } from './grants.ts';
import { isGuid } from './guid.ts';
import { createIntegrationToken, isWellFormedIntegrationToken } from './integration-token.ts';
import { loopbackRedirect } from './loopback.ts';
import { heldByBoth, isRead } from './see-as.ts';
import { keysOfFile, loadMasterKey, masterKeyId, masterKeyOf, masterKeyPath } from './master-key.ts';
import { passwordFault } from './sign-in/passwords.ts';
import { shippedSets } from './shipped.ts';
import { systemCtx } from './system-ctx.ts';

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
    expect([claimAt({ a: null }, 'a.b'), claimAt({ a: ['x'] }, 'a.0'), claimAt({}, 'a.b')]).toEqual([undefined, undefined, undefined]);
  });

  it('of one text are cut at their ends and at their length', () => {
    const claims = { name: ' Ada ', long: 'x'.repeat(321), blank: ' ', number: 5 };
    expect(['name', 'blank', 'number', 'none'].map((name) => textClaim(claims, name))).toEqual(['Ada', undefined, undefined, undefined]);
    expect([textClaim(claims, 'long'), textClaim(claims, 'long', 3)]).toEqual(['x'.repeat(320), 'xxx']);
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

  it('signs by every key, for one purpose, and keeps a value when a newer key wraps it', () => {
    const [old, next] = [key(), key()];
    const both = masterKeyOf([next, old]);
    expect(both.ids()).toEqual([masterKeyId(next), masterKeyId(old)]);
    expect(both.signatures('text', 'a')).toEqual([
      ...masterKeyOf([next]).signatures('text', 'a'),
      ...masterKeyOf([old]).signatures('text', 'a'),
    ]);
    expect(both.signatures('text', 'a')).not.toEqual(both.signatures('text', 'b'));
    expect(both.signatures('text', 'a')).not.toEqual(both.signatures('other', 'a'));
    const sealed = masterKeyOf([old]).seal('secret', 'tenant a');
    const again = both.rewrap(sealed, 'tenant a');
    expect([sealed.kid, again.kid, again.ct]).toEqual([masterKeyId(old), masterKeyId(next), sealed.ct]);
    expect(masterKeyOf([next]).open(again, 'tenant a')).toBe('secret');
    expect(() => both.rewrap(sealed, 'tenant b')).toThrow(/authenticate/);
    expect(() => masterKeyOf([])).toThrow('No master key was given.');
  });

  it('opens what earlier versions stored, and knows what they signed', () => {
    const zeros = Buffer.alloc(32).toString('base64');
    const stored = {
      v: 1,
      kid: '66687aadf862',
      wrappedKey: 'DNwT86Z1SmO7xaLTshMcz0tV1VPNm0ZqHSyyTjfUUuraD2jp6zzqqY230c+TxINkpSVomfNFmB8FFEWI',
      iv: 'VGrAapXb4IXeGYSE',
      ct: '3yAkK/Fu',
      tag: 'LDNftPZCk0CRXIeiCxJZaA==',
    } as const;
    const masterKey = masterKeyOf([zeros]);
    expect([masterKey.open(stored, 'p'), masterKey.ids()]).toEqual(['secret', ['66687aadf862']]);
    expect(masterKey.signatures('text', 'purpose')).toEqual(['eyPu6bF6TtRXqdZdAkyCyfv1iFfaZEEo13OJdUCM2ro']);
    const sealed = masterKey.seal('secret', 'p');
    const lengths = [sealed.iv, sealed.tag, sealed.wrappedKey].map((text) => Buffer.from(text, 'base64').length);
    expect(lengths).toEqual([12, 16, 60]);
  });

  it('of a file is one a line, without remarks', () => {
    const [one, two] = [key(), key()];
    expect(keysOfFile(`# first\n${one}\n\n ${two} \n`, 'f')).toEqual([one, two]);
    for (const text of ['', '# none', 'short', `${one}\nshort`])
      expect(() => keysOfFile(text, 'f')).toThrow('The master key file f must hold 32 bytes in base64 on each line.');
  });

  it('comes from the setting, the file that it names, or the data folder', () => {
    const path = (settings: { masterKey?: string; masterKeyFile?: string }) => masterKeyPath({ dataDir: '/data', ...settings });
    expect([path({ masterKey: 'x' }), path({ masterKeyFile: '/keys' }), path({})]).toEqual([
      undefined,
      '/keys',
      join('/data', 'master.key'),
    ]);
  });

  it('must be there when something is encrypted with it, and is read again when its file changes', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'cloudfit-key-'));
    const file = join(dataDir, 'master.key');
    const log = { warn: () => undefined };
    const [one, two] = [key(), key()];
    await expect(loadMasterKey({ dataDir, log, inUse: [masterKeyId(one)] })).rejects.toThrow(masterKeyId(one));
    await expect(stat(file)).rejects.toThrow('ENOENT');
    await expect(loadMasterKey({ dataDir, log, masterKey: two, inUse: [masterKeyId(one)] })).rejects.toThrow(masterKeyId(one));
    expect((await loadMasterKey({ dataDir, log, masterKey: `${two}, ${one}`, inUse: [masterKeyId(one)] })).ids()).toEqual(
      [two, one].map(masterKeyId),
    );
    await writeFile(file, one);
    const loaded = await loadMasterKey({ dataDir, log, inUse: [masterKeyId(one)] });
    const sealed = loaded.seal('secret', 'p');
    await writeFile(file, `${two}\n${one}\n`);
    expect(loaded.ids()).toEqual([two, one].map(masterKeyId));
    await rm(file);
    expect(loaded.open(sealed, 'p')).toBe('secret');
    await rm(dataDir, { recursive: true });
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
    expect(passwordFault('elevenchars', 'ada@example.org')).toBe('short');
    expect(passwordFault('ada@example.org', 'ada@example.org')).toBe('name');
    expect(passwordFault('administrator1', 'administrator@localhost')).toBe('name');
    expect(passwordFault('aaaaaaaaaaaaaa', 'ada@example.org')).toBe('plain');
    expect(passwordFault('violet tractor lantern', 'ada@example.org')).toBeUndefined();
    const problem = (password: string, userName = 'ada@example.org') => passwordFault(password, userName);
    expect([problem('abcdefghijkl'), problem('abcde'.repeat(51) + 'x'), problem('abcde'.repeat(51) + 'xy')]).toEqual([
      undefined,
      undefined,
      'long',
    ]);
    expect([problem('abcdabcdabcd'), problem('abcdeabcdeab')]).toEqual(['plain', undefined]);
    expect(problem('ADMINISTRATOR', 'administrator@localhost')).toBe('name');
    expect([problem('administrator12345', 'administrator@localhost'), problem('administrator123456', 'administrator@localhost')]).toEqual([
      'name',
      undefined,
    ]);
    expect(problem('violet-tractor', 'violet-tractor')).toBe('name');
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
    expect(shippedSets.reader.permissions.map((p) => p.split(/[.:]/).slice(2, -1).join('.')).toSorted()).toEqual(
      areas.filter((area) => area !== 'Tokens').toSorted(),
    );
    expect(shippedSets.administrator.permissions).toBe(allPermissions);
  });

  it('give operators what they run, and the service desk its work units', () => {
    const verbsOf = (set: { permissions: readonly string[] }) => {
      const pairs = set.permissions.map((permission) => permission.replace('CloudFit.CFS.', '').split(':'));
      const byVerbs = Map.groupBy([...Map.groupBy(pairs, ([area]) => area)], ([, some]) =>
        some
          .map(([, verb]) => verb)
          .toSorted()
          .join(),
      );
      return Object.fromEntries(
        [...byVerbs].map(([verbs, some]) => [
          verbs,
          some
            .map(([area]) => area)
            .toSorted()
            .join(' '),
        ]),
      );
    };
    const shell =
      'CurrentUser Home People Subscriptions Tenants WorkUnits.Categories WorkUnits.ServiceLevels WorkUnits.Subcategories WorkUnits.Types';
    const sorted = (text: string) => text.split(' ').toSorted().join(' ');
    const all = permissionVerbs.toSorted().join();
    expect(verbsOf({ permissions: shippedSets.operator.permissions })).toEqual({
      view: sorted(`${shell} Packets Resources Compliance WorkUnits.Protocols Packages Packages.Publishers`),
      [all]: sorted(
        'Articles Devices PendingDevices Blocks Locations Maintenance Rules ActionDefinitions WorkUnits WorkUnitCommunications Visualizations OnCall OnCall.Overrides',
      ),
    });
    expect(verbsOf(shippedSets.serviceDesk)).toEqual({
      view: sorted(
        `${shell} Devices Blocks Locations Packets Rules ActionDefinitions Resources Visualizations WorkUnits.Protocols Packages Packages.Publishers OnCall`,
      ),
      'create,edit,view': 'Articles Maintenance WorkUnitCommunications WorkUnits',
      [all]: 'OnCall.Overrides',
    });
  });
});

describe('the ctx of work without a caller', () => {
  it('may do everything in its tenants, in the name of the work', () => {
    const scopes: unknown[] = [];
    const of = (options: { tenants?: string[]; correlationId?: string; now?: () => Date } = {}) =>
      systemCtx({
        database: { scoped: (tenants: unknown) => scopes.push(tenants) } as unknown as Database,
        log: { child: (fields: object) => fields } as unknown as Logger,
        name: 'Jobs',
        ...options,
      });
    const everywhere = of();
    expect(everywhere).toMatchObject({ actor: { kind: 'system', id: null, name: 'Jobs' }, tenants: 'all' });
    expect([...everywhere.permissions]).toEqual([['*', new Set(allPermissions)]]);
    expect(everywhere.correlationId).toMatch(/^[0-9a-f-]{36}$/);
    expect(Math.abs(everywhere.now().getTime() - Date.now())).toBeLessThan(60_000);
    const local = of({ tenants: ['a', 'b'], correlationId: 'c1', now: () => new Date(5) });
    expect([...local.permissions.keys(), local.correlationId, local.now().getTime(), local.log]).toEqual([
      'a',
      'b',
      'c1',
      5,
      { correlationId: 'c1' },
    ]);
    expect(scopes).toEqual(['all', ['a', 'b']]);
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

describe('rights', () => {
  it('of a person are those of all grants, in the tenants of the grants', () => {
    const { permissions, tenants } = accessOf([
      ['b', ['x']],
      ['a', ['y']],
      ['b', ['z', 'x']],
    ]);
    expect([tenants, [...(permissions.get('b') ?? [])]]).toEqual([
      ['a', 'b'],
      ['x', 'z'],
    ]);
    const all = accessOf([
      ['a', ['x']],
      [null, ['y']],
    ]);
    expect([all.tenants, [...(all.permissions.get('*') ?? [])], accessOf([]).tenants]).toEqual(['all', ['y'], []]);
  });

  const ctx = { permissions: new Map([['t1', new Set(['CloudFit.CFS.Devices:view'])]]) } as unknown as Ctx;
  const devices = (...verbs: string[]) => verbs.map((verb) => `CloudFit.CFS.Devices:${verb}`);

  it('that a caller does not hold can be neither given nor taken away', () => {
    expect(escalationFaults(ctx, 't1', [...devices('view'), 'no permission'], 'set')).toEqual([]);
    expect(escalationFaults(ctx, 't1', devices('view', 'edit'), 'set')).toEqual([
      { target: 'set', message: 'You cannot give permissions that you do not hold: CloudFit.CFS.Devices:edit.' },
    ]);
    expect(escalationFaults(ctx, 't2', devices('view'), 'set', 'take away')).toEqual([
      { target: 'set', message: 'You cannot take away permissions that you do not hold: CloudFit.CFS.Devices:view.' },
    ]);
    const three = ['CloudFit.CFS.Blocks:view', 'CloudFit.CFS.Blocks:edit', 'CloudFit.CFS.Blocks:create'];
    expect(three.every(isPermission)).toBe(true);
    const message = (permissions: string[]) => escalationFaults(ctx, 't1', permissions, 'set')[0]?.message;
    expect(message(three)).toBe(`You cannot give permissions that you do not hold: ${three.join(', ')}.`);
    expect(message([...three, ...devices('edit')])).toBe(`You cannot give permissions that you do not hold: ${three.join(', ')} and more.`);
  });

  it('of two people are those that both hold, where both hold them', () => {
    const both = (ofCaller: Record<string, string[]>, theirs: Record<string, string[]>) => {
      const of = (sets: Record<string, string[]>) => new Map(Object.entries(sets).map(([tenant, set]) => [tenant, new Set(set)]));
      return Object.fromEntries([...heldByBoth(of(ofCaller), of(theirs))].map(([tenant, set]) => [tenant, [...set]]));
    };
    expect(both({ '*': ['x'], a: ['y'], b: ['z'] }, { a: ['x', 'y', 'z'], c: ['x', 'y'] })).toEqual({ a: ['x', 'y'], c: ['x'] });
    // A permission that one of the two people has in a single tenant only is not a permission in all tenants.
    expect(both({ a: ['x'], '*': ['y'] }, { '*': ['x', 'y'] })).toEqual({ '*': ['y'] });
    expect(both({ a: ['x'] }, { a: ['y'] })).toEqual({ a: [] });
    const view = 'CloudFit.CFS.WorkUnits:view';
    expect([both({ a: [viewMine] }, { a: [viewMine] }), both({ a: [view] }, { a: [viewMine, view] })]).toEqual([
      { a: [] },
      { a: [viewMine, view] },
    ]);
  });

  it('to read are used by GET, HEAD and the calls that read by POST', () => {
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
    expect(methods.map((method) => isRead(method, true))).toEqual([true, true, true, false, false, false]);
    expect(methods.map((method) => isRead(method, false))).toEqual([true, true, false, false, false, false]);
    for (const { reads } of [namesOfPeople, readSeries, maintenanceNow, maintenanceHeld]) expect(reads).toBe(true);
  });

  it('of a set that the caller cannot see are none', async () => {
    const of = (rows: object[]) => permissionsOfSet({ db: { query: () => Promise.resolve(rows) } } as unknown as Ctx, 'x');
    expect([await of([]), await of([{ permissions: ['a'] }])]).toEqual([[], ['a']]);
  });

  it('are looked up by ids of their shape', () => {
    const id = 'AAAAAAAA-0000-4000-8000-000000000001';
    expect([isGuid(id), isGuid(`${id}0`), isGuid(`x${id}`), isGuid('')]).toEqual([true, false, false, false]);
  });
});
