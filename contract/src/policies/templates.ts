/** Policies that come with the product: which devices, and what they get. Their operations are those of the built-in packages. */
import { frequencyType } from '../enums.ts';
import type { CheckedWhen } from '../rules/checked-when.ts';
import { operatorId } from '../rules/operators.ts';

interface TemplateOperation {
  package: string;
  operation: string;
  label: string;
  interval: string;
  /** Values of parameters; `{Address}` stands for what the person enters under that name. */
  parameters?: Readonly<Record<string, string>>;
  /** When results of the operation open a work unit; `what` names the rule. */
  opens?: readonly { what: string; when: CheckedWhen; severityId: 'Sev2' | 'Sev3' }[];
}

const isDown = { what: 'Down', when: { reading: 'Down' }, severityId: 'Sev2' } as const;
const over = (what: string, name: string, operator: number, value: string) =>
  ({ what, when: { reading: 'Metric', name, operator, value }, severityId: 'Sev3' }) as const;

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

const metrics = (interval: string, root: string): TemplateOperation => ({
  package: 'System metrics',
  operation: 'System metrics',
  label: 'System metrics',
  interval,
  opens: [over('Disk is filling up', `Disk ${root}`, operatorId.greaterThan, '90')],
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
  opens: [isDown],
});

export const policyTemplates: Readonly<Record<TemplateId, PolicyTemplate>> = {
  LinuxServer: {
    id: 'LinuxServer',
    filter: 'operatingSystemId eq 4 and enabled eq true',
    tags: 'linux',
    operations: [
      metrics('00:01:00', '/'),
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
    operations: [metrics('00:01:00', 'C:\\'), inventory, processes, service('EventLog')],
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
        opens: [isDown, over('Certificate ends within 14 days', 'CertificateDays', operatorId.lessThan, '14')],
      },
    ],
    needs: { Address: 'https://www.example.com/' },
  },
  DatabaseHost: {
    id: 'DatabaseHost',
    filter: "contains(tags,'database') and enabled eq true",
    operations: [
      metrics('00:00:30', '/'),
      {
        package: 'TCP check',
        operation: 'TCP check',
        label: 'Database port',
        interval: '00:01:00',
        parameters: { Host: '127.0.0.1', Port: '{Port}' },
        opens: [isDown],
      },
      {
        package: 'Processes and services',
        operation: 'Process',
        label: 'Database process',
        interval: '00:01:00',
        parameters: { Name: '{Process}' },
        opens: [isDown],
      },
    ],
    needs: { Port: '5432', Process: 'postgres' },
  },
  SnmpSwitch: {
    id: 'SnmpSwitch',
    filter: "contains(tags,'snmp-poller') and enabled eq true",
    operations: [
      {
        package: 'SNMP',
        operation: 'SNMP table',
        label: 'Switch interfaces',
        interval: '00:01:00',
        parameters: { Host: '{Host}' },
        opens: [isDown],
      },
      {
        package: 'Ping',
        operation: 'Ping',
        label: 'Switch answers',
        interval: '00:01:00',
        // SNMP may have a port of its own, which a ping has not.
        parameters: { Host: '{Host:name}' },
        opens: [isDown],
      },
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
        opens: [over('Errors in the log', 'Matches', operatorId.greaterThan, '0')],
      },
      {
        package: 'Files and logs',
        operation: 'File',
        label: 'Newest backup',
        interval: '00:15:00',
        parameters: { Path: '{File}', 'Oldest age': '{Hours}' },
        opens: [isDown],
      },
    ],
    needs: { Path: '/var/log/backup.log', Pattern: 'error|failed', File: '/var/backups/*.gz', Hours: '26' },
  },
};

/** The name or address in `name`, `name:port` or `[address]:port`; an address of IPv6 without brackets has no port. */
const withoutPort = (host: string): string => {
  const [, bracketed, name] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(host.trim()) ?? [];
  return bracketed ?? name ?? host.trim();
};

/** The value of a parameter with what the person has entered; `{Host:name}` is a host without its port. */
export const filledValue = (text: string, entered: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)(:name)?\}/g, (whole, name: string, part?: string) => {
    const value = entered[name];
    return value === undefined ? whole : part === undefined ? value : withoutPort(value);
  });

export const templateFrequency = frequencyType.recurring;
