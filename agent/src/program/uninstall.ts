/**
 * Uninstalls this agent because its server has ordered that: its packages and what it has stored at once; its key after the server has
 * stored the report that the key signs; the program and the service as far as this account may, otherwise by the service manager as root.
 */
import { createPublicKey, verify } from 'node:crypto';
import { readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSea } from 'node:sea';
import { agentTokenPath, agentTokenRefusal, assertionType } from '@cloudfit/contract/agent/identity.ts';
import { uninstalledClaim, uninstalledFile, uninstallText, type UninstallOrder } from '@cloudfit/contract/agent/uninstall.ts';
import { retryAfterMs, retryDelayMs } from '../connection/backoff.ts';
import type { Clock } from '../connection/clock.ts';
import type { Send } from '../connection/http.ts';
import { signAssertion } from '../identity/assertion.ts';
import type { Identity, IdentityFile } from '../identity/identity-file.ts';
import { ofDevice } from '../identity/other-machine.ts';
import type { Log } from '../log.ts';
import { storable } from '../storable.ts';
import { wait } from '../wait.ts';

/** Environment variable of a service that removes program, service and account as root when the agent has uninstalled itself. */
export const serviceVariable = 'CLOUDFIT_SERVICE';

/** Why the order is not followed; undefined if it was signed for this machine by the server at which the agent has enrolled. */
export function faultOfOrder(order: UninstallOrder, registrationId: string, keys: readonly string[], now: Date): string | undefined {
  if (!(Date.parse(order.until) > now.getTime())) return 'its time is over';
  const text = Buffer.from(uninstallText(order, registrationId));
  const signature = Buffer.from(order.signature, 'base64');
  const isRight = keys.some((key) =>
    verify(null, text, createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }), signature),
  );
  return isRight ? undefined : 'it was not signed by the server at which this agent has enrolled';
}

/** How the program and its service go away on this machine. */
type Removal = { kind: 'service' } | { kind: 'program'; folder: string } | { kind: 'by-hand'; reason: string };

function removalOf(env: NodeJS.ProcessEnv): Removal {
  if (env[serviceVariable] === 'removable') return { kind: 'service' };
  const line = 'run install.sh --uninstall --purge there as root';
  if (process.platform === 'win32') return { kind: 'by-hand', reason: 'program and service: run install.ps1 -Uninstall there' };
  if (env['INVOCATION_ID'] !== undefined) return { kind: 'by-hand', reason: `program and service: ${line}` };
  const [installed = process.execPath] = env['CLOUDFIT_INSTALLED']
    ? (JSON.parse(env['CLOUDFIT_INSTALLED']) as { command: string[] }).command
    : [];
  const folder = dirname(installed);
  // Only a folder that the installer makes: the program may be elsewhere, among files of others.
  return isSea() && folder.endsWith('/cloudfit-agent')
    ? { kind: 'program', folder }
    : { kind: 'by-hand', reason: `program ${installed}: delete it by hand` };
}

/** What stays until the report is stored: without it, a restart could not go on. */
const lasting = ['identity.json', 'package-keys', 'machine-key', 'proxy'];

/** Removes files of the agent by name: the setting can name a folder in which there are others too. */
function removeStored(stateDir: string, names: readonly string[]): void {
  for (const name of names) for (const file of [name, `${name}.new`]) rmSync(join(stateDir, file), { recursive: true, force: true });
}

interface UninstallParts {
  stateDir: string;
  tokenFile: string | undefined;
  send: Send;
  file: IdentityFile;
  clock: Clock;
  log: Log;
  /** Removes all packages; returns the names, and what went wrong. */
  removePackages: (signal: AbortSignal) => Promise<{ removed: string[]; failed: string[] }>;
  env?: NodeJS.ProcessEnv;
}

async function report(
  { send, clock, log }: UninstallParts,
  { key, enrolment }: Identity & { enrolment: NonNullable<Identity['enrolment']> },
  claim: object,
  signal: AbortSignal,
): Promise<'stored' | 'withdrawn' | 'stopped'> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      const assertion = await signAssertion(key, enrolment, clock.now(), { [uninstalledClaim]: claim });
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_assertion_type: assertionType,
        client_assertion: assertion,
      });
      const answer = await send('POST', agentTokenPath, signal, { body });
      if (answer.status === 200) return 'withdrawn';
      const refusal = agentTokenRefusal.safeParse(answer.body);
      if (refusal.success && refusal.data.isReported) return 'stored';
      if (refusal.success && ['access_denied', 'invalid_client', 'authorization_pending'].includes(refusal.data.error)) return 'withdrawn';
      await wait(retryAfterMs(answer.retryAfter) ?? retryDelayMs(failures), signal);
    } catch (error) {
      if (!signal.aborted) log('warn', `The uninstallation could not be reported: ${(error as Error).message}`);
      await wait(retryDelayMs(failures), signal);
    }
  }
  return 'stopped';
}

/** Carries out an order. `restart`: it was withdrawn meanwhile, so the agent goes on. */
export async function uninstallAgent(
  parts: UninstallParts,
  order: UninstallOrder,
  signal: AbortSignal,
): Promise<'uninstalled' | 'restart' | 'stopped'> {
  const { stateDir, file, log, env = process.env } = parts;
  const identity = file.read();
  if (!identity?.enrolment) return 'restart';
  log('warn', 'The server has ordered that this agent uninstalls itself.');
  const { removed, failed } = await parts.removePackages(signal);
  if (signal.aborted) return 'stopped';
  removeStored(stateDir, [...ofDevice, 'packages']);
  const removal = removalOf(env);
  const stays = [...failed, ...(removal.kind === 'by-hand' ? [removal.reason] : [])].slice(0, 20).map((text) => storable(text, 300));
  const claim = { orderId: order.orderId, removed: removed.slice(0, 20).map((name) => storable(name, 60)), stays };
  const end = await report(parts, { ...identity, enrolment: identity.enrolment }, claim, signal);
  if (end === 'withdrawn') {
    log('warn', 'The uninstallation was withdrawn; the agent goes on.');
    return 'restart';
  }
  if (end === 'stopped') return 'stopped';
  finishUninstall(stateDir, parts.tokenFile, env);
  log('warn', `This agent is uninstalled.${stays.length > 0 ? ` What stays: ${stays.join('; ')}.` : ''}`);
  return 'uninstalled';
}

/** Removes what is left after the report. A start after a kill in the middle of it does it again. */
export function finishUninstall(stateDir: string, tokenFile: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  writeFileSync(join(stateDir, uninstalledFile), '', { flush: true });
  removeStored(stateDir, [...ofDevice, 'packages', ...lasting, 'program']);
  if (tokenFile !== undefined) rmSync(tokenFile, { force: true });
  const removal = removalOf(env);
  if (removal.kind !== 'program') return;
  rmSync(removal.folder, { recursive: true, force: true });
  removeStored(stateDir, [uninstalledFile]);
  if (readdirSync(stateDir).length === 0) rmdirSync(stateDir);
}
