/** Texts of the fields of an action's parameters. */
export const actionParameterTexts = {
  extraHelp: 'key=value pairs, one per line',
  titleHelp: 'May name the reading, the device and the like, such as {DeviceName} or {Seen}; empty: the rule and what it is about',
  descriptionHelp: 'Empty: condition, values seen, since when, device, operation, location and links; in a text of your own {Facts}',
  severityHelp: 'Empty: Sev3',
  typeHelp: 'Empty: Incident',
  assignedHelp: 'Sign-in name of a person',
  unit: {
    protocol: 'Protocol',
    severity: 'Severity',
    type: 'Work Unit Type',
    category: 'Category',
    categoryName: 'Category name',
    group: 'Assignment Group',
    assignedTo: 'Assigned To',
  },
  tenantHelp: 'Empty: the tenant that the action runs for',
  recipientHelp: 'Empty: the address of the tenant for notifications',
} as const;
