import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { ProxyEnvironment } from './connection/exchange.ts';
import { uninstalledFile } from '@cloudfit/contract/agent/uninstall.ts';
import { identityPath } from './identity/identity-path.ts';

/** The reason why the agent cannot start, for the person who starts it: printed as one line; exit code 1. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

export interface Settings {
  /** The address of the server, without a slash at its end. */
  url: string;
  /** The proxy for all connections to the server; undefined: there is none. */
  proxy: ProxyEnvironment | undefined;
  /** Returns the enrolment token, or an empty text. Reads the file at each call, so that a new token needs no restart. */
  token: () => string;
  /** The file with the token, if there is one. */
  tokenFile: string | undefined;
  stateDir: string;
  outboxBytes: number;
  /** The folder with the files of the watched machine, from which its facts are read. */
  systemRoot: string;
  /** Milliseconds in which a new version of the agent must report to the server; otherwise the previous version runs again. */
  trialMs: number;
  /** The file that gets the log instead of stdout. */
  logFile: string | undefined;
  /** Whether a parent process started the agent, which then stops when its stdin closes. */
  hasParent: boolean;
}

export const help = `CloudFit agent: registers this machine and reports its state.

  --url <address>        server, as https://cloudfit.example.com   CLOUDFIT_URL
  --token-file <file>    file with the token that enrols it        CLOUDFIT_TOKEN_FILE
                         or the token itself in                    CLOUDFIT_TOKEN
                         (not needed once it is enrolled)
  --proxy <address>      proxy to the server, as http://proxy:3128 CLOUDFIT_PROXY
                         or in the file "proxy" of the state folder,
                         or HTTPS_PROXY, HTTP_PROXY, NO_PROXY
  --state-dir <folder>   keeps identity and unsent packets         CLOUDFIT_STATE_DIR
  --outbox-mib <number>  disk space for unsent packets (64)        CLOUDFIT_OUTBOX_MIB
  --log-file <file>      gets the log instead of stdout            CLOUDFIT_LOG_FILE
  (no option)            seconds in which a new version of the
                         agent has to report (120)                 CLOUDFIT_TRIAL_SECONDS
  (no option)            where the files of the machine are, for
                         an agent in a container (/)               CLOUDFIT_SYSTEM_ROOT
  --supervise            as first argument: starts the newest
                         version of the agent, for services
  --run-script <file>    as first argument: runs a script by the agent's own Node
  --help, --version
`;

const options = {
  url: { type: 'string' },
  'token-file': { type: 'string' },
  proxy: { type: 'string' },
  'state-dir': { type: 'string' },
  'outbox-mib': { type: 'string' },
  'log-file': { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

/** Reads the settings from the arguments, and from the environment those that the arguments do not name. */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): Settings | 'help' | 'version' {
  let values;
  try {
    values = parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new SettingsError(`${messageOf(error).split('. ')[0]}. See --help.`, { cause: error });
  }
  if (values.help) return 'help';
  if (values.version) return 'version';
  const stateDir = resolve(values['state-dir'] ?? env['CLOUDFIT_STATE_DIR'] ?? defaultStateDir(env));
  const isNeeded = !existsSync(identityPath(stateDir)) && !existsSync(join(stateDir, uninstalledFile));
  const tokenFile = values['token-file'] ?? env['CLOUDFIT_TOKEN_FILE'];
  return {
    url: readUrl(values.url ?? env['CLOUDFIT_URL']),
    proxy: readProxy(values.proxy ?? env['CLOUDFIT_PROXY'] ?? storedProxy(stateDir), env),
    tokenFile,
    token: readToken(tokenFile, env['CLOUDFIT_TOKEN'], isNeeded),
    stateDir,
    outboxBytes: readMib(values['outbox-mib'] ?? env['CLOUDFIT_OUTBOX_MIB'] ?? '64') * 1_048_576,
    // Only environment variables: older versions get the same arguments, and would refuse an option that they do not know.
    systemRoot: env['CLOUDFIT_SYSTEM_ROOT'] ?? '/',
    trialMs: readSeconds(env['CLOUDFIT_TRIAL_SECONDS'] ?? '120') * 1_000,
    logFile: values['log-file'] ?? env['CLOUDFIT_LOG_FILE'],
    hasParent: env['CLOUDFIT_PARENT'] === '1',
  };
}

function readUrl(text: string | undefined): string {
  if (!text) throw new SettingsError('The address of the server is missing: give --url or CLOUDFIT_URL.');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw new SettingsError(`The address ${text} is not one of http or https.`);
  return url.href.replace(/\/+$/, '');
}

/** Returns the proxy that the installer has stored; older versions would refuse an option for it, and get the same ones. */
function storedProxy(stateDir: string): string | undefined {
  try {
    return readFileSync(join(stateDir, 'proxy'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Reads the proxy: by its setting for every address, otherwise by the variables that other programs use too. */
function readProxy(setting: string | undefined, env: NodeJS.ProcessEnv): ProxyEnvironment | undefined {
  const of = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const both = setting || of('ALL_PROXY');
  const http = setting || of('HTTP_PROXY') || both;
  const https = setting || of('HTTPS_PROXY') || both;
  // The message does not repeat the address, which may have a password.
  for (const address of [http, https])
    if (address !== undefined && !(URL.canParse(address) && /^https?:/.test(address)))
      throw new SettingsError('The address of the proxy (--proxy, CLOUDFIT_PROXY or HTTPS_PROXY) is not one of http or https.');
  if (http === undefined && https === undefined) return undefined;
  const without = of('NO_PROXY');
  return { ...(http && { http_proxy: http }), ...(https && { https_proxy: https }), ...(without && { no_proxy: without }) };
}

function readToken(file: string | undefined, values: string | undefined, isNeeded: boolean): () => string {
  let lastToken = values?.trim() ?? '';
  if (file === undefined && lastToken === '') {
    if (!isNeeded) return () => '';
    throw new SettingsError('The token is missing: give --token-file, CLOUDFIT_TOKEN_FILE or CLOUDFIT_TOKEN.');
  }
  const token = () => {
    if (file === undefined) return lastToken;
    // If the file cannot be read, because somebody is replacing it, the previous token is used.
    try {
      lastToken = readFileSync(file, 'utf8').trim();
    } catch (error) {
      if (lastToken === '' && isNeeded)
        throw new SettingsError(`The token file ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`, { cause: error });
    }
    return lastToken;
  };
  if (isNeeded && !/^[\x21-\x7e]+$/.test(token()))
    throw new SettingsError(file ? `The token file ${file} holds no token.` : 'The token in CLOUDFIT_TOKEN is not one.');
  return token;
}

function readMib(text: string): number {
  const mib = Number(text);
  if (!(mib >= 1 && mib <= 1_000_000)) throw new SettingsError(`The outbox size ${text} is not a number of MiB from 1 to 1000000.`);
  return mib;
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 1 && seconds <= 3_600))
    throw new SettingsError(`The trial of a new version, CLOUDFIT_TRIAL_SECONDS=${text}, is not a number of seconds from 1 to 3600.`);
  return seconds;
}

function defaultStateDir(env: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return join(env['ProgramData'] ?? 'C:\\ProgramData', 'CloudFit', 'agent');
  if (process.getuid?.() === 0) return '/var/lib/cloudfit-agent';
  return join(env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'cloudfit-agent');
}
