/** Records a change by the command line in the audit and for live pages, in the transaction of the change. */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { recordChange as recordEntry, type AuditEntry } from '../auth/audit-entry.ts';
import type { Db } from '../db/db.ts';

export interface CommandChange {
  verb: 'create' | 'update' | 'export' | 'backup' | 'restore' | 'verify';
  entity: string;
  entityId: string;
  tenantId?: string | null;
  before?: object;
  after?: object;
}

export const commandLine = (): AuditEntry['actor'] => ({ kind: 'system', id: null, name: `command line (${unixUser()})` });

export async function recordChange(db: Db, change: CommandChange): Promise<void> {
  await recordEntry(db, { ...change, actor: commandLine(), correlationId: randomUUID() });
}

function unixUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user id may have no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
