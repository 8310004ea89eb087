import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

let stateDir: string;
beforeEach(() => void (stateDir = mkdtempSync(join(tmpdir(), 'settings-'))));
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

describe('the proxy', () => {
  const proxyOf = (env: NodeJS.ProcessEnv, ...args: string[]) => {
    const settings = readSettings(['--url', 'https://cloudfit.example.com', '--state-dir', stateDir, ...args], {
      CLOUDFIT_TOKEN: 'x',
      ...env,
    });
    return typeof settings === 'object' ? settings.proxy : undefined;
  };
  const both = (address: string) => ({ http_proxy: address, https_proxy: address });

  it('is the option, the setting, the file of the installer, or that of the environment, in this order', () => {
    const env: NodeJS.ProcessEnv = { HTTPS_PROXY: 'http://e:1', NO_PROXY: 'localhost' };
    expect(proxyOf({})).toBeUndefined();
    expect(proxyOf({ https_proxy: '' })).toBeUndefined();
    expect(proxyOf(env)).toEqual({ https_proxy: 'http://e:1', no_proxy: 'localhost' });
    expect(proxyOf({ ...env, https_proxy: 'http://lower:1' })).toMatchObject({ https_proxy: 'http://lower:1' });
    expect(proxyOf({ all_proxy: 'http://a:1' })).toEqual(both('http://a:1'));
    writeFileSync(join(stateDir, 'proxy'), 'http://f:1\n');
    expect(proxyOf(env)).toEqual({ ...both('http://f:1'), no_proxy: 'localhost' });
    expect(proxyOf({ CLOUDFIT_PROXY: 'http://s:1' })).toEqual(both('http://s:1'));
    expect(proxyOf({ CLOUDFIT_PROXY: 'http://s:1' }, '--proxy', 'http://o:1')).toEqual(both('http://o:1'));
  });

  it('is refused without its password if it is no address', () => {
    expect(() => proxyOf({}, '--proxy', 'secret@proxy:3128')).toThrow(
      'The address of the proxy (--proxy, CLOUDFIT_PROXY or HTTPS_PROXY) is not one of http or https.',
    );
  });
});
