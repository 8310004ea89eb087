/** Directories: where people of other organisations sign in, and which tenants they may reach. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { directories } from '@cloudfit/contract/resources/directories.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { invalidatePeople } from '../../auth/invalidate.ts';
import { tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import { sql, type RawBuilder } from '../../db/sql.ts';
import { serve, type FieldError, type RowChange, type Served } from '../../resources/served.ts';

export type DirectoryRow = Row<typeof directories>;

/** A directory names its tenants, so people see only those that reach no other tenants than theirs. */
function ofTenantsOf(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const scope = tenantScopeWith(ctx, [permission('People', 'view')]);
  const [all, ids] = [sql.ref(`${t}.all_tenants`), sql.ref(`${t}.tenant_ids`)];
  return scope === 'all' ? undefined : sql<boolean>`(not ${all} and ${ids} <> '[]'::jsonb and ${ids} <@ to_jsonb(${[...scope]}::text[]))`;
}

const isCertificate = (text: string): boolean => /^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/.test(text.trim());
const isLoopback = (address: string): boolean => /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/.test(address);

function fieldFaults(row: DirectoryRow): FieldError[] {
  const errors: FieldError[] = [];
  const need = (target: 'issuer' | 'clientId' | 'ldapUrl' | 'bindDn' | 'baseDn', message: string) => {
    if (!row[target]) errors.push({ target, message });
  };
  if (!row.allTenants && row.tenantIds.length === 0)
    errors.push({ target: 'tenantIds', message: 'Please choose the tenants of its people, or all of them.' });
  if (row.kind === 'Oidc') {
    need('issuer', 'Please enter the issuer: the address of the provider as it stands in its discovery document.');
    need('clientId', 'Please enter the client ID under which CloudFit is registered at the provider.');
    if (row.issuer?.startsWith('http:') && !isLoopback(row.issuer))
      errors.push({ target: 'issuer', message: 'The issuer must begin with https, because sign-ins and secrets are sent there.' });
    if (!row.scope.split(/\s+/).includes('openid')) errors.push({ target: 'scope', message: 'The scopes must contain openid.' });
  }
  if (row.kind === 'Ldap') {
    need('ldapUrl', 'Please enter the address of the LDAP server, such as ldaps://dc1.example.com.');
    need('bindDn', 'Please enter the account that searches for people. Anonymous searches are not supported.');
    need('baseDn', 'Please enter the distinguished name below which people are searched, such as dc=example,dc=com.');
    if (row.ldapUrl?.startsWith('ldap:') && !row.startTls)
      errors.push({ target: 'startTls', message: 'Passwords are sent with TLS only: use ldaps://, or switch on STARTTLS.' });
    if (row.ldapUrl?.startsWith('ldaps:') && row.startTls)
      errors.push({ target: 'startTls', message: 'An address with ldaps:// is encrypted from the start. Use ldap:// for STARTTLS.' });
    if (!row.userFilter.includes('{name}'))
      errors.push({ target: 'userFilter', message: 'The filter must contain {name}, which stands for what the person enters.' });
  }
  if (row.certificate && !isCertificate(row.certificate))
    errors.push({ target: 'certificate', message: 'Please enter a certificate in PEM, from -----BEGIN CERTIFICATE----- to its end.' });
  return errors;
}

interface DirectoryCollision {
  kind: 'prefix' | 'domain' | 'grant' | 'issuer';
  name: string;
}

/** Other directories, and grants of before, with which a directory would be confused. */
const collisions = `select 'prefix' as kind, name from directory where prefix = $2 and directory_id <> $1
  union all select 'domain', d.name || ' ' || m.domain from directory d, jsonb_array_elements_text(d.mail_domains) m(domain)
    where d.directory_id <> $1 and $3::jsonb ? m.domain
  union all select 'issuer', name from directory where issuer = $4 and kind = 'Oidc' and directory_id <> $1
  union all (select 'grant', claim from access_grant where $5 and starts_with(claim, $2 || ':') limit 1)`;

async function collisionFaults(ctx: Ctx, { verb, after }: RowChange<DirectoryRow>): Promise<FieldError[]> {
  const issuer = after.kind === 'Oidc' ? (after.issuer ?? null) : null;
  const values = [after.directoryId, after.prefix, JSON.stringify(after.mailDomains), issuer, verb === 'create'];
  const rows = await ctx.db.query<DirectoryCollision>({ text: collisions, values });
  return rows.map(({ kind, name }) => {
    if (kind === 'domain') {
      const at = name.lastIndexOf(' ');
      return { target: 'mailDomains', message: `The directory ${name.slice(0, at)} has the mail domain ${name.slice(at + 1)} already.` };
    }
    if (kind === 'grant') return { target: 'prefix', message: `A grant to the group ${name} exists. Choose another prefix.` };
    return { target: kind, message: `The directory ${name} has this ${kind} already.` };
  });
}

/** People and grants that a directory leaves behind, or that it would no longer reach. */
async function leftFaults(ctx: Ctx, { verb, after }: RowChange<DirectoryRow>): Promise<FieldError[]> {
  if (verb === 'delete') {
    const [row] = await ctx.db.query<{ people: number }>({
      text: 'select count(*)::int as people from person where directory_id = $1',
      values: [after.directoryId],
    });
    return row && row.people > 0
      ? [{ target: 'directoryId', message: `${row.people} people belong to this directory. Disable it, which ends their access.` }]
      : [];
  }
  const missing = await ctx.db.query<{ id: string }>({
    text: `select x.id from jsonb_array_elements_text($1::jsonb) x(id) where not exists (select from tenant where tenant_id = x.id::uuid) limit 1`,
    values: [JSON.stringify(after.tenantIds)],
  });
  return missing.length === 0 ? [] : [{ target: 'tenantIds', message: 'A tenant was not found. Choose existing ones.' }];
}

/** What decides whose sign-in is believed: with another value, people of before would be others. */
const identityFields = ['kind', 'issuer'] as const;

async function identityFaults(ctx: Ctx, { verb, before, after, changed }: RowChange<DirectoryRow>): Promise<FieldError[]> {
  const field = identityFields.find((name) => changed.includes(name));
  if (verb !== 'update' || field === undefined || !before) return [];
  const [row] = await ctx.db.query<{ people: number }>({
    text: 'select count(*)::int as people from person where directory_id = $1 and subject is not null',
    values: [after.directoryId],
  });
  return row && row.people > 0
    ? [{ target: field, message: `${row.people} people have signed in by this directory. Make another one for another provider.` }]
    : [];
}

export const servedDirectories: Served<typeof directories> = serve(directories, 'directory', {
  rowsFor: ofTenantsOf,
  fill: (_ctx, { after, changed }) => ({
    ...(changed.includes('tenantIds') ? { tenantIds: [...new Set(after.tenantIds)].toSorted() } : {}),
    ...(changed.includes('mailDomains') ? { mailDomains: [...new Set(after.mailDomains)].toSorted() } : {}),
  }),
  check: async (ctx, change) => [
    ...(change.verb === 'delete' ? [] : fieldFaults(change.after)),
    ...(change.verb === 'delete' ? [] : await collisionFaults(ctx, change)),
    ...(await identityFaults(ctx, change)),
    ...(await leftFaults(ctx, change)),
  ],
  after: (ctx) => invalidatePeople(ctx.db),
});
