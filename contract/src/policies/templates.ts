/** Policies that come with the product: which devices, and what they get. Their operations are those of the built-in packages. */
import { frequencyType } from '../enums.ts';

interface TemplateOperation {
  package: string;
  operation: string;
  label: string;
  interval: string;
  /** Values of parameters; `{Address}` stands for what the person enters under that name. */
  parameters?: Readonly<Record<string, string>>;
}

export interface PolicyTemplate {
  id: string;
  /** The filter of the selection that is made with it. */
  filter: string;
  tags?: string;
  operations: readonly TemplateOperation[];
  /** What the person enters, each with its default. */
  needs: Readonly<Record<string, string>>;
}

export const templateIds = ['LinuxServer', 'WindowsServer', 'WebSite', 'DatabaseHost', 'SnmpSwitch', 'Backup'] as const;
export type TemplateId = (typeof templateIds)[number];

const metrics = (interval: string): TemplateOperation => ({
  package: 'System metrics',
  operation: 'System metrics',
  label: 'System metrics',
  interval,
});
const inventory: TemplateOperation = { package: 'Inventory', operation: 'Inventory', label: 'Inventory', interval: '06:00:00' };
const processes: TemplateOperation = {
  package: 'System metrics',
  operation: 'Largest processes',
  label: 'Largest processes',
  interval: '00:05:00',
  parameters: { Count: '10' },
};
const service = (name: string): TemplateOperation => ({
  package: 'Processes and services',
  operation: 'Service',
  label: `Service ${name}`,
  interval: '00:01:00',
  parameters: { Name: name },
});

export const policyTemplates: Readonly<Record<TemplateId, PolicyTemplate>> = {
  LinuxServer: {
    id: 'LinuxServer',
    filter: 'operatingSystemId eq 4 and enabled eq true',
    tags: 'linux',
    operations: [
      metrics('00:01:00'),
      inventory,
      processes,
      { package: 'System metrics', operation: 'Disk health', label: 'Disk health', interval: '01:00:00' },
      service('ssh'),
    ],
    needs: {},
  },
  WindowsServer: {
    id: 'WindowsServer',
    filter: 'operatingSystemId eq 1 and enabled eq true',
    tags: 'windows',
    operations: [metrics('00:01:00'), inventory, processes, service('EventLog')],
    needs: {},
  },
  WebSite: {
    id: 'WebSite',
    filter: "contains(tags,'web-check') and enabled eq true",
    operations: [
      {
        package: 'HTTP check',
        operation: 'HTTP check',
        label: 'Web site',
        interval: '00:01:00',
        parameters: { Address: '{Address}', Status: '200-399', Certificate: 'Check' },
      },
    ],
    needs: { Address: 'https://www.example.com/' },
  },
  DatabaseHost: {
    id: 'DatabaseHost',
    filter: "contains(tags,'database') and enabled eq true",
    operations: [
      metrics('00:00:30'),
      {
        package: 'TCP check',
        operation: 'TCP check',
        label: 'Database port',
        interval: '00:01:00',
        parameters: { Host: '127.0.0.1', Port: '{Port}' },
      },
      {
        package: 'Processes and services',
        operation: 'Process',
        label: 'Database process',
        interval: '00:01:00',
        parameters: { Name: '{Process}' },
      },
    ],
    needs: { Port: '5432', Process: 'postgres' },
  },
  SnmpSwitch: {
    id: 'SnmpSwitch',
    filter: "contains(tags,'snmp-poller') and enabled eq true",
    operations: [
      { package: 'SNMP', operation: 'SNMP table', label: 'Switch interfaces', interval: '00:01:00', parameters: { Host: '{Host}' } },
      { package: 'Ping', operation: 'Ping', label: 'Switch answers', interval: '00:01:00', parameters: { Host: '{Host}' } },
    ],
    needs: { Host: '192.0.2.1' },
  },
  Backup: {
    id: 'Backup',
    filter: "contains(tags,'backup') and enabled eq true",
    operations: [
      {
        package: 'Files and logs',
        operation: 'Log pattern',
        label: 'Errors of the backup',
        interval: '00:15:00',
        parameters: { Path: '{Path}', Pattern: '{Pattern}' },
      },
    ],
    needs: { Path: '/var/log/backup.log', Pattern: 'error|failed' },
  },
};

/** The value of a parameter with what the person has entered. */
export const filledValue = (text: string, entered: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => entered[name] ?? whole);

export const templateFrequency = frequencyType.recurring;
