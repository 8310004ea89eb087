/** The MIBs of a tenant, and what the SNMP operations of its devices get of them. */
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { parameterSource } from '@cloudfit/contract/enums.ts';
import type { Db } from '../../../db/db.ts';
import { oidNames, type OidNames } from './oid-names.ts';
import { declarationsFor, objectNames, type ObjectNames } from './object-names.ts';
import { readMib, type Mib } from './read-mib.ts';

interface StoredMib extends Mib {
  mibId: string;
}

/** The MIBs of a tenant in the order of their names. */
export async function mibsOf(db: Db, tenantId: string): Promise<StoredMib[]> {
  const rows = await db.query<{ mib_id: string; text: string }>({
    name: 'mibs-of-tenant',
    text: 'select mib_id, text from mib where tenant_id = $1 order by module, mib_id',
    values: [tenantId],
  });
  return rows.flatMap(({ mib_id: mibId, text }) => {
    const mib = readMib(text);
    return 'faults' in mib ? [] : [{ ...mib, mibId }];
  });
}

const tenantsMax = 100;
const cached = new Map<string, { stamp: string; names: ObjectNames }>();

/** The names of a tenant, which are read again when one of its MIBs has changed. */
async function namesOf(db: Db, tenantId: string): Promise<ObjectNames> {
  const rows = await db.query<{ stamp: string }>({
    name: 'mibs-stamp',
    text: `select mib_id || ':' || version as stamp from mib where tenant_id = $1 order by mib_id`,
    values: [tenantId],
  });
  const stamp = rows.map((row) => row.stamp).join();
  const before = cached.get(tenantId);
  if (before?.stamp === stamp) return before.names;
  const names = rows.length === 0 ? new Map<string, string>() : objectNames(await mibsOf(db, tenantId));
  cached.delete(tenantId);
  if (cached.size >= tenantsMax) cached.delete([...cached.keys()][0] ?? '');
  cached.set(tenantId, { stamp, names });
  return names;
}

/** The names of what the devices of a tenant send. */
export async function oidNamesOf(db: Db, tenantId: string): Promise<OidNames> {
  return oidNames(await namesOf(db, tenantId));
}

type AgentOperation = AgentConfiguration['operations'][number];

const parameter = 'MIB';
/** The longest value of a parameter. */
const longest = 4_000;

const isSnmp = ({ packageName }: AgentOperation): boolean => packageName === 'SNMP';

/** Gives an operation the declarations of the objects that it names, unless its MIB is a file of the machine. */
function withNames(operation: AgentOperation, names: ObjectNames): AgentOperation {
  const others = operation.parameters.filter(({ Name }) => Name !== parameter);
  const stored = operation.parameters.find(({ Name }) => Name === parameter)?.Value ?? '';
  if (typeof stored !== 'string' || (stored.trim() !== '' && !stored.includes('::='))) return operation;
  const texts = others.flatMap(({ Value }) => (typeof Value === 'string' ? Value : []));
  let value = stored;
  // What the operation itself declares comes first and counts.
  for (const line of declarationsFor(texts, names)) if (value.length + line.length < longest) value += `${value === '' ? '' : '\n'}${line}`;
  return value === stored
    ? operation
    : { ...operation, parameters: [...others, { Name: parameter, Source: parameterSource.portalEntry, Value: value }] };
}

/** Gives the SNMP operations of a device the declarations of the objects that they name, from the MIBs of the tenant. */
export async function withObjectNames(
  db: Db,
  tenantId: string,
  operations: AgentConfiguration['operations'],
): Promise<AgentConfiguration['operations']> {
  if (!operations.some(isSnmp)) return operations;
  const names = await namesOf(db, tenantId);
  return names.size === 0 ? operations : operations.map((operation) => (isSnmp(operation) ? withNames(operation, names) : operation));
}
