/** `token add`: a token for agents or an integration, shown once. */
import { createIntegrationToken } from '../auth/integration-token.ts';
import { UsageError, type Command } from './command.ts';
import { findPermissionSet, findTenant } from './find.ts';
import { recordChange } from './record.ts';

const known = ['agent', 'ingest'];

export const tokenAdd: Command = {
  name: 'token add',
  about: 'Adds a token and prints it, once: only its hash is kept.',
  options: {
    name: { type: 'string', value: 'NAME', required: true, about: 'What the token is for; audit names it.' },
    tenant: { type: 'string', value: 'NAME|ID', about: 'The tenant for which it is good.' },
    'all-tenants': { type: 'boolean', about: 'It is good for all tenants; needs --set.' },
    years: { type: 'string', value: 'NUMBER', initial: '1', about: 'Years until it expires; 0: never.' },
    scopes: {
      type: 'string',
      value: 'LIST',
      initial: 'agent,ingest',
      about: 'What it may do besides the permission set: agent, ingest, or none.',
    },
    set: { type: 'string', value: 'NAME', about: 'Permission set with which it reads and writes the API.' },
  },
  run: async ({ db, text, given }) => {
    if (given('tenant') === given('all-tenants')) throw new UsageError('Give either --tenant or --all-tenants.');
    const years = /^\d{1,2}$/.test(text('years')) ? Number(text('years')) : -1;
    if (years < 0 || years > 20) throw new UsageError('--years must be a whole number from 0 (never expires) to 20.');
    const scopes =
      text('scopes') === 'none'
        ? []
        : text('scopes')
            .split(',')
            .map((scope) => scope.trim());
    const unknown = scopes.find((scope) => !known.includes(scope));
    if (unknown !== undefined) throw new UsageError(`There is no scope "${unknown}"; there are ${known.join(' and ')}, or none.`);
    if (given('all-tenants') && !given('set'))
      throw new UsageError('A token for all tenants needs --set: agents and packets belong to one tenant.');
    const name = text('name').trim();
    if (name === '') throw new UsageError('The name is empty.');
    return db.transaction(async (tx) => {
      const tenantId = given('tenant') ? (await findTenant(tx, text('tenant'))).tenantId : null;
      const set = given('set') ? await findPermissionSet(tx, text('set'), tenantId) : undefined;
      const made = createIntegrationToken();
      const [row] = await tx.query<{ token_grant_id: string; expires_on: string | null }>({
        text: `insert into token_grant (tenant_id, name, token_hash, token_hint, scopes, permission_set_id, lifetime_years, expires_on)
          values ($1, $2, $3, $4, $5, $6, $7, case when $7 > 0 then now() + make_interval(years => $7) end) returning token_grant_id, expires_on`,
        values: [tenantId, name, made.hash, made.hint, scopes, set?.permissionSetId ?? null, years],
      });
      const tokenId = String(row?.token_grant_id);
      const expiresOn = row?.expires_on ?? null;
      const about = { tokenId, tenantId, name, scopes, permissionSetId: set?.permissionSetId ?? null, expiresOn };
      await recordChange(tx, { verb: 'create', entity: 'tokens', entityId: tokenId, tenantId, after: { ...about, tokenHint: made.hint } });
      return {
        lines: [
          `Token ${name}, ${expiresOn === null ? 'which never expires' : `good until ${expiresOn.slice(0, 10)}`}. It is shown this once:`,
          made.token,
        ],
        json: { ...about, token: made.token },
      };
    });
  },
};
