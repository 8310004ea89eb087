/** The columns of fields by name. */
const names = new Map<string, string>();

/** `customValue1` is `custom_value1`, `approved1By` is `approved1_by`, `expectedCFSAlerts` is `expected_cfs_alerts`. */
export function columnName(field: string): string {
  let name = names.get(field);
  if (name === undefined) {
    name = field
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
      .toLowerCase();
    names.set(field, name);
  }
  return name;
}
