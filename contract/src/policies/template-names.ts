/** The names of policies that are made from templates; people rename them. */
import type { TemplateId } from './templates.ts';

export const policyTemplateNames: Readonly<Record<TemplateId, string>> = {
  LinuxServer: 'Linux server',
  WindowsServer: 'Windows server',
  WebSite: 'Web site with certificate',
  DatabaseHost: 'Database host',
  SnmpSwitch: 'Switch by SNMP',
  Backup: 'Backup',
};
