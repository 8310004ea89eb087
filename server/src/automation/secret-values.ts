/** Reads the values of `{Secret:name}` for one call and masks them in everything that is recorded of it. */
import { recordAudit } from '../auth/audit-entry.ts';
import { hostOf, policyProblem, wholeSecret } from '../auth/secret-use.ts';
import type { TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Db } from '../db/db.ts';
import type { QueuedAction, QueuedExecution } from './execution.ts';
import { ActionFailure } from './action-result.ts';
import type { PlaceholderValues } from './placeholders.ts';
import { maskOf } from '@cloudfit/contract/secret-traces.ts';

const named = /\{(Secret:[A-Za-z0-9_][\w.-]*)\}/g;

type RecordUse = (db: Db) => Promise<void>;

export interface SecretValues {
  /** Values that override the values of the execution. */
  values: PlaceholderValues;
  used: boolean;
  mask(text: string): string;
  /** Audits the use of each secret, with its name and the execution that sends it; undefined without secrets. */
  recordUse: RecordUse | undefined;
}

/** Reads secrets of the execution's tenant only, even for a global definition. */
export async function secretsFor(
  secrets: TenantSecrets,
  db: Db,
  definition: QueuedAction,
  execution: QueuedExecution,
): Promise<SecretValues> {
  const templates = [definition.endpointUrl, definition.headers, definition.body, definition.lookBackAddress].join('\n');
  const inTemplates = [...templates.matchAll(named)].map(([, placeholder = '']) => placeholder);
  const inParameters = Object.entries(execution.parameters).flatMap(([parameter, value]) => {
    const [, name] = wholeSecret.exec(String(value)) ?? [];
    return name === undefined ? [] : [[parameter, name] as const];
  });
  const names = [...new Set([...inTemplates.map((placeholder) => placeholder.slice('Secret:'.length)), ...inParameters.map(([, n]) => n)])];
  const { values: latest, mask, recordUse } = await latestOf(secrets, db, execution, names, hostOf(definition.endpointUrl));
  return {
    // An unknown secret is undefined here, so that no parameter with its name replaces it.
    values: {
      ...Object.fromEntries(inTemplates.map((placeholder) => [placeholder, latest.get(placeholder.slice('Secret:'.length))])),
      ...Object.fromEntries(inParameters.flatMap(([parameter, name]) => (latest.has(name) ? [[parameter, latest.get(name)]] : []))),
    },
    used: latest.size > 0,
    mask,
    recordUse,
  };
}

/** The properties of an execution that audit rows about the use of secrets contain. */
type AuditedExecution = Pick<QueuedExecution, 'tenantId' | 'messageId' | 'correlationId' | 'definition'>;

/** Reads secrets for one use. Throws `ActionFailure` if the policy of one forbids the use. `host` is undefined for a mail. */
async function latestOf(secrets: TenantSecrets, db: Db, use: AuditedExecution, names: readonly string[], host: string | undefined) {
  if (names.length === 0) return { values: new Map<string, string>(), mask: (text: string) => text, recordUse: undefined };
  const usable = await secrets.latest(db, use.tenantId, names);
  for (const secret of usable.values()) {
    const problem = policyProblem(secret, { actionDefinitionId: use.definition?.id, host });
    if (problem) throw new ActionFailure(problem);
  }
  const recordUse: RecordUse = async (tx) => {
    for (const { id, name } of usable.values())
      await recordAudit(tx, {
        actor: { kind: 'system', id: null, name: 'Automation' },
        verb: 'use',
        entity: 'tenantSecrets',
        entityId: id,
        tenantId: use.tenantId,
        after: { name, action: use.definition?.name, ...(host === undefined ? { by: 'mail' } : { host }), messageId: use.messageId },
        correlationId: use.correlationId,
      });
  };
  return {
    values: new Map([...usable].map(([name, { value }]) => [name, value])),
    mask: maskOf([...usable.values()].map(({ value }) => value)),
    recordUse,
  };
}

/** The secrets in the texts of a mail: their values for sending, and masks for storing and showing. */
export async function secretsOfTexts(
  secrets: TenantSecrets,
  db: Db,
  use: AuditedExecution,
  texts: readonly string[],
): Promise<{ values: PlaceholderValues; shown: PlaceholderValues; mask(text: string): string; recordUse: RecordUse | undefined }> {
  const placeholders = [...new Set([...texts.join('\n').matchAll(named)].map(([, placeholder = '']) => placeholder))];
  const {
    values: latest,
    mask,
    recordUse,
  } = await latestOf(
    secrets,
    db,
    use,
    placeholders.map((placeholder) => placeholder.slice('Secret:'.length)),
    undefined,
  );
  const values = Object.fromEntries(placeholders.map((placeholder) => [placeholder, latest.get(placeholder.slice('Secret:'.length))]));
  const shown = Object.fromEntries(
    Object.entries(values).map(([placeholder, value]) => [placeholder, value === undefined ? undefined : '***']),
  );
  return { values, shown, mask, recordUse };
}
