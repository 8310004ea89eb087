/** The settings of this process, read once from the environment and validated before anything starts. */
import type { z } from 'zod';
import { type Setting, settings } from './settings.ts';
import { StartError } from './start-error.ts';

type SettingValues<S> = { [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

export type Config = Omit<SettingValues<typeof settings>, 'publicUrl'> & { publicUrl: string };

/** An invalid setting; the message contains its name. */
export class SettingError extends StartError {
  override name = 'SettingError';
  readonly setting: string;
  constructor(setting: string, problem: string) {
    super(`${setting} ${problem}.`);
    this.setting = setting;
  }
}

export function loadConfig(env: Record<string, string | undefined>): Config {
  const read = Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, readSetting(setting, env)])) as SettingValues<
    typeof settings
  >;
  return { ...read, publicUrl: read.publicUrl ?? `http://localhost:${read.port}` };
}

function readSetting(setting: Setting<unknown>, env: Record<string, string | undefined>): unknown {
  const text = env[setting.name]?.trim() || undefined;
  const result = (setting.schema as z.ZodType<unknown>).safeParse(text ?? setting.initial);
  if (result.success) return result.data;
  throw new SettingError(setting.name, `${result.error.issues[0]?.message ?? 'is wrong'}${showable(setting.name, text)}`);
}

/** Returns the invalid value for a message, or nothing if it may contain a secret. */
function showable(name: string, text: string | undefined): string {
  return text === undefined || /KEY|URL/.test(name) ? '' : `, not "${text.slice(0, 80)}"`;
}

export interface ShownSetting {
  name: string;
  about: string;
  value: string | null;
  source: 'environment' | 'default';
}

/** Returns the value without secrets. Of an address, only credentials and query are hidden, so that the rest can be read. */
function shownValue(name: string, text: string): string {
  if (name.endsWith('_FILE') || name === 'LICENCE_PUBLIC_KEY') return text;
  if (/KEY|SECRET|PASSWORD|TOKEN|PARAMS/.test(name) && name !== 'TOKEN_MAX_YEARS') return '***';
  const address = /:\/\//.test(text) ? URL.parse(text) : null;
  if (!address) return /URL/.test(name) ? '***' : text;
  const host = `${address.protocol}//${address.username || address.password ? '***@' : ''}${address.host}`;
  return `${host}${address.pathname === '/' ? '' : address.pathname}${address.search ? '?***' : ''}`;
}

/** All settings with their source, without secrets. */
export function shownSettings(env: Record<string, string | undefined>): ShownSetting[] {
  return Object.values(settings).map(({ name, about, initial }) => {
    const text = env[name]?.trim() || undefined;
    const value = text ?? initial;
    return { name, about, value: value ? shownValue(name, value) : null, source: text === undefined ? 'default' : 'environment' };
  });
}
