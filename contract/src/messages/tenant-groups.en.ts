/** Texts of groups of tenants. */
export const tenantGroupTexts = {
  title: 'Tenant Groups',
  words: 'customers sets gold many tenants',
  emptyText: 'Create one to write a rule once for several tenants.',
  remove: 'Remove Tenant Group',
  removed: (name: string) => `${name} removed.`,
  removeQuestion: (name: string) => `Remove ${name}? A group for which there are rules cannot be removed.`,
  addTenant: 'Add a tenant',
  removeTenant: (name: string) => `Remove ${name}`,
  noTenants: 'No tenants yet.',
};
