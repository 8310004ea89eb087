/** Secrets that files name: a folder never contains them, so somebody stores those that are missing here. */
import { parameterSource } from '@cloudfit/contract/enums.ts';
import type { Ctx } from '../../context/ctx.ts';
import { thingsIn, type CodeFile } from '../../features/configuration/code/code.ts';
import { namesOfPath, nothing } from '../../features/configuration/code/paths.ts';

/** The secrets in a value of a file: `{Secret:name}` in texts, and parameters of checks whose value is the name of a secret. */
function secretsIn(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(/\{Secret:([^{}]+)\}/g)].map(([, name]) => name ?? '');
  if (typeof value !== 'object' || value === null) return [];
  const isSecured = 'Source' in value && value.Source === parameterSource.securedValue && 'Value' in value;
  return isSecured ? [String(value.Value)] : Object.values(value).flatMap(secretsIn);
}

/** A line for each secret that a tenant of the files has to store; those that global things name are needed in the tenants that use them. */
export async function missingSecrets({ db }: Ctx, files: readonly CodeFile[]): Promise<string[]> {
  const needed = new Map<string, { tenant: string; name: string; by: string }>();
  for (const [at, { kind, path }] of thingsIn(files).entries()) {
    const [tenant = nothing] = namesOfPath(path);
    for (const name of secretsIn(files[at]?.content)) {
      const key = `${tenant} ${name}`.toLowerCase();
      if (!needed.has(key)) needed.set(key, { tenant, name, by: `${kind} ${path}` });
    }
  }
  if (needed.size === 0) return [];
  const stored = await db.query<{ tenant: string; name: string }>({
    text: 'select t.name as tenant, s.name from tenant_secret s join tenant t using (tenant_id)',
  });
  const isStored = (tenant: string, name: string): boolean =>
    stored.some(
      (row) => (tenant === nothing || row.tenant.toLowerCase() === tenant.toLowerCase()) && row.name.toLowerCase() === name.toLowerCase(),
    );
  return [...needed.values()]
    .filter(({ tenant, name }) => !isStored(tenant, name))
    .map(
      ({ tenant, name, by }) =>
        `? secrets ${name}: named by ${by}. Store it on the page of ${tenant === nothing ? 'each tenant that uses it' : `the tenant ${tenant}`}.`,
    );
}
