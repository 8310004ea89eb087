/** `token add`: a token for agents or an integration, shown once. */
import { createToken, setLongestTokenLife } from '../features/tokens/tokens.served.ts';
import { UsageError, type AdminCommand } from './command.ts';
import { findPermissionSet, findTenant } from './find.ts';

const scopeNames = ['agent', 'ingest'];

export const tokenAdd: AdminCommand = {
  name: 'token add',
  about: 'Adds a token and prints it, once: only its hash is kept.',
  options: {
    name: { type: 'string', value: 'NAME', required: true, about: 'What the token is for; audit names it.' },
    tenant: { type: 'string', value: 'NAME|ID', about: 'The tenant for which it is good.' },
    'all-tenants': { type: 'boolean', about: 'It is good for all tenants; needs --set.' },
    years: { type: 'string', value: 'NUMBER', initial: '1', about: 'Years until it expires: 1, 2, 3, or 0 for never.' },
    scopes: {
      type: 'string',
      value: 'LIST',
      initial: 'agent',
      about:
        'What it may do besides the permission set: agent (enrol machines), ingest (send packets of any device of the tenant), agent,ingest for both, or none.',
    },
    set: { type: 'string', value: 'NAME', about: 'Permission set with which it reads and writes the API.' },
  },
  run: async ({ db, ctx, config, text, isSet }) => {
    if (isSet('tenant') === isSet('all-tenants')) throw new UsageError('Give either --tenant or --all-tenants.');
    if (!/^[0-3]$/.test(text('years'))) throw new UsageError('--years is 1, 2, 3, or 0 (never expires).');
    const scopes =
      text('scopes') === 'none'
        ? []
        : text('scopes')
            .split(',')
            .map((scope) => scope.trim());
    const unknown = scopes.find((scope) => !scopeNames.includes(scope));
    if (unknown !== undefined) throw new UsageError(`There is no scope "${unknown}"; there are ${scopeNames.join(' and ')}, or none.`);
    if (isSet('all-tenants') && !isSet('set'))
      throw new UsageError('A token for all tenants needs --set: agents and packets belong to one tenant.');
    const name = text('name').trim();
    if (name === '') throw new UsageError('The name is empty.');
    const tenantId = isSet('tenant') ? (await findTenant(db, text('tenant'))).tenantId : null;
    const permissionSetId = isSet('set') ? (await findPermissionSet(db, text('set'), tenantId)).permissionSetId : null;
    setLongestTokenLife(config.tokenMaxYears);
    const body = { name, tenantId, lifetimeYears: Number(text('years')), scopes, permissionSetId };
    const { tokenGrantId, expiresOn, generatedToken: token } = await createToken(await ctx(), body);
    return {
      lines: [
        `Token ${name}, ${expiresOn === null ? 'which never expires' : `good until ${expiresOn.slice(0, 10)}`}. It is shown only once:`,
        token,
      ],
      json: { tokenId: tokenGrantId, tenantId, name, scopes, permissionSetId, expiresOn, token },
    };
  },
};
