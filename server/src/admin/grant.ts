/** `grant`: gives a person or a group a permission set, in one tenant or in all. */
import { invalidatePeople } from '../auth/invalidate.ts';
import { UsageError, type AdminCommand } from './command.ts';
import { findPermissionSet, findPerson, findTenant } from './find.ts';
import { recordChange } from './record.ts';

export const grant: AdminCommand = {
  name: 'grant',
  about: 'Gives a person, or everybody with a group, the permissions of a permission set.',
  options: {
    person: { type: 'string', value: 'USER', about: 'User name, email or id of the person.' },
    claim: { type: 'string', value: 'GROUP', about: "A value of the sign-in's groups claim, instead of a person." },
    set: {
      type: 'string',
      value: 'NAME',
      required: true,
      about: 'Permission set: Administrator, Operator, Reader, Service Desk, Resolution Center or one of your own.',
    },
    tenant: { type: 'string', value: 'NAME|ID', about: 'The tenant where it holds.' },
    'all-tenants': { type: 'boolean', about: 'It holds in all tenants, also in those to come.' },
  },
  run: async ({ db, text, isSet }) => {
    if (isSet('person') === isSet('claim')) throw new UsageError('Give either --person or --claim.');
    if (isSet('tenant') === isSet('all-tenants')) throw new UsageError('Give either --tenant or --all-tenants.');
    return db.transaction(async (tx) => {
      const tenant = isSet('tenant') ? await findTenant(tx, text('tenant')) : undefined;
      const tenantId = tenant?.tenantId ?? null;
      const set = await findPermissionSet(tx, text('set'), tenantId);
      const person = isSet('person') ? await findPerson(tx, text('person')) : undefined;
      const claim = person ? null : text('claim');
      const who = person?.userName ?? `the group ${claim}`;
      const where = tenant ? `in ${tenant.name}` : 'in all tenants';
      const [row] = await tx.query<{ grant_id: string }>({
        text: `insert into access_grant (person_id, claim, permission_set_id, tenant_id) values ($1, $2, $3, $4)
          on conflict (person_id, claim, permission_set_id, tenant_id) do nothing returning grant_id`,
        values: [person?.personId ?? null, claim, set.permissionSetId, tenantId],
      });
      const json = { personId: person?.personId ?? null, claim, permissionSetId: set.permissionSetId, tenantId };
      if (!row) return { lines: [`${who} has ${set.name} ${where} already.`], json: { ...json, created: false } };
      await recordChange(tx, {
        verb: 'create',
        entity: 'grants',
        entityId: row.grant_id,
        tenantId,
        after: { grantId: row.grant_id, ...json },
      });
      await invalidatePeople(tx);
      return { lines: [`${who} now has ${set.name} ${where}.`], json: { grantId: row.grant_id, ...json, created: true } };
    });
  },
};
