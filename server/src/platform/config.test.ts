import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig, SettingError, shownSettings } from './config.ts';
import { settings, settingsHelp, settingsTable } from './settings.ts';

describe('settings', () => {
  it('every one has a default or may be left out', () => {
    const config = loadConfig({});
    expect(config).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      roles: ['api', 'worker', 'ingest'],
      agent: true,
      trustProxy: false,
      publicUrl: 'http://localhost:8080',
      outboundAllow: [],
    });
    expect(config.dataDir).toMatch(/^\/.*\.data$/);
    expect(config.databaseUrl).toBeUndefined();
  });

  it('an empty variable counts as unset', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 8080, databaseUrl: undefined });
  });

  it('reads what is given', () => {
    const config = loadConfig({
      PORT: '9300',
      PUBLIC_URL: 'https://ops.example.org/',
      ROLES: 'worker',
      AGENT: 'off',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      OUTBOUND_ALLOW: '10.1.0.0/16, hooks.internal',
      CORS_ORIGINS: 'https://board.example.com, http://localhost:5173',
    });
    expect(config).toMatchObject({
      port: 9300,
      publicUrl: 'https://ops.example.org',
      roles: ['worker'],
      agent: false,
      trustProxy: ['10.0.0.0/8', '::1'],
      outboundAllow: ['10.1.0.0/16', 'hooks.internal'],
      corsOrigins: ['https://board.example.com', 'http://localhost:5173'],
    });
  });

  it.each([
    ['PORT', 'http', 'PORT must be a whole number from 1 to 65535, not "http".'],
    ['PORT', '70000', 'PORT must be a whole number from 1 to 65535, not "70000".'],
    ['ROLES', 'api,boss', 'ROLES must be api, worker, ingest, or several of them separated by commas, not "api,boss".'],
    ['TRUST_PROXY', 'yes', 'TRUST_PROXY must be on, off, or addresses and networks such as 10.0.0.0/8, not "yes".'],
    [
      'CORS_ORIGINS',
      'https://board.example.com/',
      'CORS_ORIGINS must be * or origins such as https://board.example.com, without a path, not "https://board.example.com/".',
    ],
    ['DATABASE_URL', 'mysql://u:secret@h/d', 'DATABASE_URL must be an address that starts with postgres:// or postgresql://.'],
    ['MASTER_KEY', 'c2hvcnQ=', 'MASTER_KEY must be 32 bytes in base64.'],
    ['ENVIRONMENT_COLOR', 'red', 'ENVIRONMENT_COLOR must be a colour such as #1f6feb, not "red".'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent, not "loud".'],
  ])('refuses %s=%s in one line that names it', (name, value, message) => {
    expect(() => loadConfig({ [name]: value })).toThrow(new SettingError(name, message.slice(name.length + 1, -1)));
  });

  it('help and table list every setting with its meaning', () => {
    for (const { name, about } of Object.values(settings)) {
      expect(settingsHelp()).toContain(`  ${name} `);
      expect(settingsTable()).toContain(`| \`${name}\` |`);
      expect(about).toMatch(/\.$/);
    }
  });

  it('docs/OPERATIONS.md lists them as they are', () => {
    const path = join(import.meta.dirname, '../../../docs/OPERATIONS.md');
    expect(existsSync(path) && readFileSync(path, 'utf8')).toContain(settingsTable());
  });
});

it('shows all settings with their source, and no credentials', () => {
  const env = {
    SMTP_URL: 'smtps://user:violet@mail.example.com:465?pool=violet',
    DATABASE_URL: 'violet',
    MASTER_KEY: 'violet',
    S3_SECRET_ACCESS_KEY: 'violet',
    S3_ACCESS_KEY_ID: 'violet',
    OIDC_EXTRA_PARAMS: 'client_secret=violet',
    PORT: '9000',
  };
  const shown = new Map(shownSettings(env).map(({ name, value, source }) => [name, { value, source }]));
  expect(JSON.stringify([...shown])).not.toContain('violet');
  expect(shown.get('SMTP_URL')).toEqual({ value: 'smtps://***@mail.example.com:465?***', source: 'environment' });
  expect(shown.get('PORT')).toEqual({ value: '9000', source: 'environment' });
  expect(shown.get('AUDIT_RETENTION_DAYS')).toEqual({ value: '1095', source: 'default' });
  expect(shown.get('TOKEN_MAX_YEARS')?.value).not.toBe('***');
  expect(shown.get('PUBLIC_URL')).toEqual({ value: null, source: 'default' });
});
