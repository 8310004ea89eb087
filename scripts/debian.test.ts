import { afterEach, describe, expect, it, vi } from 'vitest';
import { ensureTestedPrograms, mustRunAll } from './debian.mjs';

const existing = vi.hoisted(() => ({ isThere: (_path: string): boolean => false }));
vi.mock('node:fs', async (original) => ({
  ...(await original<object>()),
  existsSync: (path: string) => existing.isThere(path),
}));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function runAs(user: number, ci = ''): void {
  vi.spyOn(process, 'getuid').mockReturnValue(user);
  vi.stubEnv('CI', ci);
}

describe('a program that tests need', () => {
  it('may be missing for an ordinary person, who reads how to install it with what it needs itself', () => {
    runAs(1_000);
    existing.isThere = (path) => !/nginx|glewlwyd/.test(path);
    expect(mustRunAll()).toBe(false);
    expect(ensureTestedPrograms()).toBe(
      'Some tests need /usr/sbin/nginx, /usr/bin/glewlwyd. On Debian, this installs them: sudo apt-get install --no-install-recommends nginx-light glewlwyd dbconfig-sqlite3',
    );
  });

  it('is no matter when it is there', () => {
    runAs(1_000);
    existing.isThere = () => true;
    expect(ensureTestedPrograms()).toBeUndefined();
  });

  it('must be there as root, and with CI=true', () => {
    runAs(0);
    expect(mustRunAll()).toBe(true);
    runAs(1_000, 'true');
    expect(mustRunAll()).toBe(true);
  });
});
