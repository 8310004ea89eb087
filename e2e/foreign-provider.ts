/** Starts a real external identity provider (glewlwyd from Debian) with tables, keys, a client and people. */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../server/src/testing/server-process.ts';

export interface ForeignPerson {
  userName: string;
  password: string;
  name: string;
  email: string;
  groups: readonly string[];
}

export interface ForeignProvider {
  /** The issuer, as in the provider's tokens and in the server's settings. */
  authority: string;
  audience: string;
  clientId: string;
  addPerson(person: ForeignPerson): Promise<void>;
  /** Registers the portal at this address as a client. */
  addClient(portalUrl: string): Promise<void>;
  /** Replaces the signing key; the previous key stays published. */
  rotateKey(): Promise<void>;
  remove(): Promise<void>;
}

/** The provider's program; tests without it are skipped. */
export const providerProgram = '/usr/bin/glewlwyd';
const shared = '/usr/share/glewlwyd';
const clientId = 'cloudfit-at-work';
const audience = 'https://cloudfit.example/api';
const scopes = ['openid', 'profile', 'email'];
const patienceMs = 20_000;

interface PrivateKey {
  kid: string;
  [member: string]: unknown;
}

function newKey(kid: string): PrivateKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256' };
}

/** Starts the provider, which must be installed. */
export async function startForeignProvider(): Promise<ForeignProvider> {
  const home = mkdtempSync(join(tmpdir(), 'cloudfit-foreign-'));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const authority = `${url}/api/oidc`;
  prepareFolder(home, url, port);

  let output = '';
  const child = spawn(providerProgram, ['--config-file', join(home, 'glewlwyd.conf')], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await untilReady(child, `${url}/config`, () => output);
  const admin = await administrator(url);
  let keys = [newKey('first')];
  const plugin = () => ({
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID Connect',
    order_rank: 0,
    readonly: false,
    parameters: oidcParameters(authority, keys),
  });
  for (const name of ['profile', 'email'])
    await admin('POST', '/api/scope/', { name, display_name: name, password_required: false, password_max_age: 0 });
  await admin('PUT', '/api/scope/openid', { display_name: 'OpenID', password_required: true, password_max_age: 0 });
  await admin('POST', '/api/mod/plugin/', plugin());

  return {
    authority,
    audience,
    clientId,
    addPerson: ({ userName, password, name, email, groups }) =>
      admin('POST', '/api/user/', { username: userName, password, name, email, groups, scope: scopes, enabled: true }),
    addClient: (portalUrl) =>
      admin('POST', '/api/client/', {
        client_id: clientId,
        name: 'CloudFit',
        confidential: false,
        enabled: true,
        scope: [],
        redirect_uri: [`${portalUrl}/user/callback`, `${portalUrl}/user/silent`],
        post_logout_redirect_uri: `${portalUrl}/user/login`,
        authorization_type: ['code', 'refresh_token'],
        token_endpoint_auth_method: ['none'],
        resource: [audience],
      }),
    rotateKey: async () => {
      keys = [newKey(`key-${keys.length + 1}`), ...keys];
      await admin('PUT', '/api/mod/plugin/oidc', plugin());
      await admin('PUT', '/api/mod/plugin/oidc/reset');
    },
    remove: async () => {
      const exited = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null && child.kill('SIGKILL')) await exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Writes the tables with Debian's defaults, the configuration and the sign-in pages. */
function prepareFolder(home: string, url: string, port: number): void {
  const database = new DatabaseSync(join(home, 'glewlwyd.db'));
  database.exec(readFileSync('/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3', 'utf8'));
  const { gumi_parameters: stored } = database.prepare('select gumi_parameters from g_user_module_instance').get() as {
    gumi_parameters: string;
  };
  const parameters = JSON.parse(stored) as { 'data-format': Record<string, object> };
  parameters['data-format']['groups'] = { multiple: true, read: true, write: true, 'profile-read': true, 'profile-write': false };
  database.prepare('update g_user_module_instance set gumi_parameters = ?').run(JSON.stringify(parameters));
  database.close();

  const pages = join(home, 'webapp');
  cpSync(join(shared, 'webapp'), pages, { recursive: true, dereference: true, filter: (path) => !path.endsWith('config.json') });
  const page = JSON.parse(readFileSync('/etc/glewlwyd/config-2.7.json/config.json', 'utf8')) as Record<string, unknown>;
  mkdirSync(pages, { recursive: true });
  writeFileSync(
    join(pages, 'config.json'),
    JSON.stringify({ ...page, GlewlwydUrl: `${url}/`, ProfileUrl: `${url}/profile.html`, LoginUrl: `${url}/login.html` }),
  );
  const types = {
    '.html': 'text/html',
    '.css': 'text/css',
    '.js': 'application/javascript',
    '.json': 'application/json',
    '.png': 'image/png',
  };
  const lines = Object.entries(types).map(([extension, type]) => `{ extension = "${extension}", mime_type = "${type}" }`);
  writeFileSync(
    join(home, 'glewlwyd.conf'),
    `port = ${port}
bind_address = "127.0.0.1"
external_url = "${url}"
login_url = "login.html"
api_prefix = "api"
static_files_path = "${pages}/"
static_files_mime_types = (${lines.join(', ')})
allow_origin = "*"
log_mode = "console"
log_level = "WARNING"
cookie_secure = false
cookie_same_site = "lax"
session_expiration = 86400
session_key = "GLEWLWYD2_SESSION_ID"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "/usr/lib/glewlwyd/user"
client_module_path = "/usr/lib/glewlwyd/client"
user_auth_scheme_module_path = "/usr/lib/glewlwyd/scheme"
plugin_module_path = "/usr/lib/glewlwyd/plugin"
use_secure_connection = false
secure_connection_key_file = "/none"
secure_connection_pem_file = "/none"
secure_connection_ca_file = "/none"
hash_algorithm = "SHA512"
database = { type = "sqlite3", path = "${join(home, 'glewlwyd.db')}" }
`,
  );
}

async function untilReady(child: ChildProcess, address: string, output: () => string): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`glewlwyd ended at its start:\n${output()}`);
    const isReady = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
  }
  throw new Error(`glewlwyd does not answer:\n${output()}`);
}

/** Calls the provider's API as the administrator of Debian's default tables. */
async function administrator(url: string): Promise<(method: string, path: string, body?: object) => Promise<void>> {
  const signedIn = await fetch(`${url}/api/auth/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'password' }),
  });
  const [cookie = ''] = signedIn.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`glewlwyd: ${method} ${path} answered ${response.status}: ${await response.text()}`);
  };
}

function oidcParameters(issuer: string, keys: readonly PrivateKey[]): object {
  return {
    iss: issuer,
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    'jwks-private': JSON.stringify({ keys }),
    'default-kid': keys[0]?.kid ?? '',
    'jwks-show': true,
    'access-token-duration': 600,
    'refresh-token-duration': 86_400,
    'code-duration': 60,
    'refresh-token-rolling': false,
    'refresh-token-one-use': 'always',
    'auth-type-code-enabled': true,
    'auth-type-token-enabled': false,
    'auth-type-none-enabled': false,
    'auth-type-password-enabled': false,
    'auth-type-client-enabled': false,
    'auth-type-device-enabled': false,
    'auth-type-refresh-enabled': true,
    'subject-type': 'public',
    'pkce-allowed': true,
    'pkce-required': true,
    'introspection-revocation-allowed': true,
    'introspection-revocation-allow-target-client': true,
    'introspection-revocation-auth-scope': [],
    'session-management-allowed': true,
    'session-cookie-name': 'GLEWLWYD2_OIDC_SID',
    'session-cookie-expiration': 86_400,
    'resource-allowed': true,
    'resource-client-property': 'resource',
    'resource-scope': {},
    'resource-scope-and-client-property': false,
    'name-claim': 'mandatory',
    'email-claim': 'mandatory',
    'scope-claim': 'no',
    'address-claim': { type: 'no' },
    // The provider joins several values with commas; the server has to split them.
    'additional-parameters': [{ 'user-parameter': 'groups', 'token-parameter': 'groups' }],
    claims: [],
  };
}
