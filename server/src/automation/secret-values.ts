/** Reads the values of `{Secret:name}` for one call and masks them in everything that is recorded of it. */
import type { TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Db } from '../db/connection.ts';
import type { QueuedAction, QueuedExecution } from './action-context.ts';
import type { PlaceholderValues } from './placeholders.ts';

const named = /\{(Secret:[A-Za-z0-9_][\w.-]*)\}/g;
/** Fewer characters of a secret at the end of a cut answer reveal nothing. */
const shortestCut = 4;
/** A parameter that consists of one secret's placeholder. */
const whole = /^\{Secret:([A-Za-z0-9_][\w.-]*)\}$/;

export interface SecretValues {
  /** Values that take precedence over the values of the execution. */
  values: PlaceholderValues;
  used: boolean;
  mask(text: string): string;
}

/** The forms in which an answer may contain a secret: plain, URL-encoded, in JSON, in base64. */
function spellings(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), base64, base64.replace(/=+$/, '')];
}

/** Masks the beginning of a secret at the end of a cut answer. */
function withoutCut(text: string, secrets: readonly string[]): string {
  const cut = secrets.flatMap((secret) => {
    for (let length = secret.length - 1; length >= shortestCut; length -= 1) if (text.endsWith(secret.slice(0, length))) return [length];
    return [];
  });
  return cut.length === 0 ? text : `${text.slice(0, -Math.max(...cut))}***`;
}

/** Reads secrets of the execution's tenant only, even for a global definition. */
export async function secretsFor(
  secrets: TenantSecrets,
  db: Db,
  definition: QueuedAction,
  execution: QueuedExecution,
): Promise<SecretValues> {
  const templates = [definition.endpointUrl, definition.headers, definition.body].join('\n');
  const inTemplates = [...templates.matchAll(named)].map(([, placeholder = '']) => placeholder);
  const inParameters = Object.entries(execution.parameters).flatMap(([parameter, value]) => {
    const [, name] = whole.exec(String(value)) ?? [];
    return name === undefined ? [] : [[parameter, name] as const];
  });
  const names = [...new Set([...inTemplates.map((placeholder) => placeholder.slice('Secret:'.length)), ...inParameters.map(([, n]) => n)])];
  const { values: latest, mask } = await latestOf(secrets, db, execution.tenantId, names);
  return {
    // An unknown secret is undefined here, so that no parameter with its name replaces it.
    values: {
      ...Object.fromEntries(inTemplates.map((placeholder) => [placeholder, latest.get(placeholder.slice('Secret:'.length))])),
      ...Object.fromEntries(inParameters.flatMap(([parameter, name]) => (latest.has(name) ? [[parameter, latest.get(name)]] : []))),
    },
    used: latest.size > 0,
    mask,
  };
}

interface ResolvedSecrets {
  values: ReadonlyMap<string, string>;
  mask(text: string): string;
}

async function latestOf(secrets: TenantSecrets, db: Db, tenantId: string, names: readonly string[]): Promise<ResolvedSecrets> {
  if (names.length === 0) return { values: new Map(), mask: (text) => text };
  const values = await secrets.latest(db, tenantId, names);
  const longestFirst = [...new Set([...values.values()].flatMap(spellings))].toSorted((a, b) => b.length - a.length);
  const mask = (text: string): string =>
    withoutCut(
      longestFirst.reduce((masked, secret) => masked.replaceAll(secret, '***'), text),
      longestFirst,
    );
  return { values, mask };
}

/** The secrets in the texts of a mail: their values for sending, and masks for storing and showing. */
export async function secretsOfTexts(
  secrets: TenantSecrets,
  db: Db,
  tenantId: string,
  texts: readonly string[],
): Promise<{ values: PlaceholderValues; shown: PlaceholderValues; mask(text: string): string }> {
  const placeholders = [...new Set([...texts.join('\n').matchAll(named)].map(([, placeholder = '']) => placeholder))];
  const { values: latest, mask } = await latestOf(
    secrets,
    db,
    tenantId,
    placeholders.map((placeholder) => placeholder.slice('Secret:'.length)),
  );
  const values = Object.fromEntries(placeholders.map((placeholder) => [placeholder, latest.get(placeholder.slice('Secret:'.length))]));
  const shown = Object.fromEntries(
    Object.entries(values).map(([placeholder, value]) => [placeholder, value === undefined ? undefined : '***']),
  );
  return { values, shown, mask };
}
