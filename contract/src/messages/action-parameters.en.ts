/** Texts of the fields of an action's parameters. */
export const actionParameterTexts = {
  extraHelp: 'key=value pairs, one per line',
  tenantHelp: 'Empty: the tenant that the action runs for',
  recipientHelp: 'Empty: the address of the tenant for notifications',
} as const;
