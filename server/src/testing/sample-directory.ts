/** Inserts a directory of all tenants whose people sign in at the provider of the installation; $1 is its prefix. Returns its id. */
export const sampleDirectory = `insert into directory (name, prefix, kind, enabled, all_tenants, tenant_ids, mail_domains, scope, groups_claim, start_tls, user_filter,
    provisioned_only, has_button)
  values (initcap($1), $1, 'None', true, true, '[]', '[]', 'openid', 'groups', false, '(uid={name})', false, false) returning directory_id as id`;
