/** Texts of the fields of an action's parameters. */
export const actionParameterTexts = {
  extraHelp: 'key=value pairs, one per line',
  titleHelp: 'May name the reading, the device and the like, such as {DeviceName} or {Value}; default: the label of the match',
  tenantHelp: 'Empty: the tenant that the action runs for',
  recipientHelp: 'Empty: the address of the tenant for notifications',
} as const;
