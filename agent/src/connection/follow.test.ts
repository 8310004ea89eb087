/** What the agent makes of the answers to its registration and to its long polls. */
import { beforeEach, expect, it, vi } from 'vitest';
import type { AgentConfiguration, RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import type { Answer, Client } from './client.ts';
import { followConfiguration } from './configuration.ts';
import { otherMachine, registerStart } from './register.ts';

let answers: (Partial<Answer> | null)[];
let calls: { path: string; body: unknown; etag: string | undefined; timeoutMs: number | undefined }[];
let waits: number[];
let logged: string[];
vi.mock('../wait.ts', () => ({ wait: (ms: number) => Promise.resolve(void waits.push(ms)) }));
beforeEach(() => ([answers, calls, waits, logged] = [[], [], [], []]));

const client = {
  request: (
    _method: string,
    path: string,
    _signal: AbortSignal,
    options: { body?: unknown; headers?: Record<string, string>; timeoutMs?: number },
  ) => {
    calls.push({ path, body: options.body, etag: options.headers?.['if-none-match'], timeoutMs: options.timeoutMs });
    const answer = answers.shift();
    return Promise.resolve(answer ? { status: 200, body: null, ...answer } : null);
  },
} as unknown as Client;
const log = (level: string, text: string) => void logged.push(`${level} ${text}`);
const signal = new AbortController().signal;

const machine = { machineName: 'web' } as RegisterRequest;
const keys: string[][] = [];
const register = () => registerStart(client, machine, (packageKeys) => void keys.push([...packageKeys]), log, signal);
const promoted = { status: 'promoted', pendingDeviceId: 'p1', deviceId: 'd1', packageKeys: ['k1'] };

it('registers until there is a device, soon after a machine that waits, later after a refusal', async () => {
  const pending = { status: 'pending', pendingDeviceId: 'p1', packageKeys: ['k1'] };
  const refusal = { error: { code: 'InvalidBody', message: 'No.' } };
  answers = [
    { body: pending },
    { status: 400, body: refusal },
    { body: { deviceId: 'd9' } },
    { status: 201, body: promoted },
    { body: promoted },
  ];
  expect(await register()).toBe('d1');
  expect(waits).toEqual([1_000, 60_000, 1_000, 60_000]);
  expect(keys).toEqual([['k1'], ['k1'], ['k1']]);
  expect(logged.map((line) => line.slice(0, 60))).toEqual([
    'error The server did not register this machine (400 No.).',
    'error The server did not register this machine (200 ).',
    'error The server did not register this machine (201 ).',
  ]);
  expect(calls[0]).toMatchObject({ path: '/v1/agent/register', body: machine });
});

it('stops to register when the agent ends, and says of a copy that it is one', async () => {
  answers = [null];
  expect(await register()).toBeNull();
  answers = [{ status: 409 }];
  expect(await register()).toBe(otherMachine);
  expect(waits).toEqual([]);
});

const configurationOf = (version: string) =>
  ({
    deviceId: 'd1',
    name: 'web',
    enabled: true,
    heartbeatInterval: 60,
    restartAgentFlag: false,
    traceExpiration: null,
    version,
  }) as AgentConfiguration;
const versions: string[] = [];
const follow = (current?: AgentConfiguration) => {
  versions.length = 0;
  return followConfiguration(client, current, ({ version }) => void versions.push(version), 'i1', log, signal);
};

it('asks for what it does not have, for longer than the server waits, and passes each change on', async () => {
  answers = [{ body: configurationOf('v2') }, { status: 304 }, { body: configurationOf('v3') }, null];
  expect(await follow(configurationOf('v1'))).toBe('stopped');
  expect([versions, calls.map(({ etag }) => etag)]).toEqual([
    ['v2', 'v3'],
    ['"v1"', '"v2"', '"v2"', '"v3"'],
  ]);
  expect(calls[0]?.path).toMatch(/^\/v1\/agent\/configuration\?wait=55&agentTime=[^&]+&instance=i1$/);
  expect(calls[0]?.timeoutMs).toBeGreaterThan(55_000);
  // A proxy that ends long polls early makes no loop without a pause.
  expect([waits.length, (waits[0] ?? 0) > 900]).toEqual([1, true]);
  expect(logged).toEqual([]);
});

it('asks for all of it at the first time, and goes on after an answer that it cannot read', async () => {
  answers = [{ body: { version: 'v0' } }, { status: 500, body: { error: { code: 'X', message: 'Ill.' } } }, { status: 404 }];
  expect(await follow()).toBe('device-removed');
  expect([versions, calls.map(({ etag }) => etag)]).toEqual([[], [undefined, undefined, undefined]]);
  expect(logged).toEqual(['error The configuration could not be read (200 ).', 'error The configuration could not be read (500 Ill.).']);
  expect(waits.filter((ms) => ms === 10_000)).toHaveLength(2);
  answers = [{ status: 409 }];
  expect(await follow()).toBe(otherMachine);
});
