/** Policies that come with the product: which devices, and what they get. Their operations are those of the built-in packages. */
import { frequencyType } from '../enums.ts';
import { hostAndPort } from '../packages/host-and-port.ts';
import { formatFault, type ValueFormat } from '../packages/value-formats.ts';
import type { CheckedWhen } from '../rules/checked-when.ts';
import { operatorId } from '../rules/operators.ts';

/** What opens a unit, as its rule is named. */
type TemplateFault = 'Down' | 'Disk is filling up' | 'Certificate ends within 14 days' | 'Errors in the log';

interface TemplateOperation {
  package: string;
  operation: string;
  /** May contain what the person enters too, so that a device can have the operation of two policies of one template. */
  label: string;
  interval: string;
  /** Values of parameters; `{Address}` stands for what the person enters under that name. */
  parameters?: Readonly<Record<string, string>>;
  /** When results of the operation open a work unit; `what` names the rule. */
  opens?: readonly { what: TemplateFault; when: CheckedWhen; severityId: 'Sev2' | 'Sev3' }[];
}

const isDown = { what: 'Down', when: { reading: 'Down' }, severityId: 'Sev2' } as const;
const over = (what: TemplateFault, name: string, operator: number, value: string) =>
  ({ what, when: { reading: 'Metric', name, operator, value }, severityId: 'Sev3' }) as const;

/** What a person enters before the policy is made. */
interface TemplateNeed {
  format: ValueFormat;
  /** What is usual; a need without it must be entered. */
  usual?: string;
  /** Such as is shown in the empty field. */
  example: string;
}

export interface PolicyTemplate {
  id: string;
  /** The filter of the selection that is made with it. */
  filter: string;
  tags?: string;
  operations: readonly TemplateOperation[];
  needs: Readonly<Record<string, TemplateNeed>>;
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
const service: TemplateOperation = {
  package: 'Processes and services',
  operation: 'Service',
  label: 'Service {Service}',
  interval: '00:01:00',
  parameters: { Name: '{Service}' },
  opens: [isDown],
};

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
      service,
    ],
    needs: { Service: { format: 'line', usual: 'ssh', example: 'ssh' } },
  },
  WindowsServer: {
    id: 'WindowsServer',
    filter: 'operatingSystemId eq 1 and enabled eq true',
    tags: 'windows',
    operations: [metrics('00:01:00', 'C:\\'), inventory, processes, service],
    needs: { Service: { format: 'line', usual: 'EventLog', example: 'EventLog' } },
  },
  WebSite: {
    id: 'WebSite',
    filter: "contains(tags,'web-check') and enabled eq true",
    operations: [
      {
        package: 'HTTP check',
        operation: 'HTTP check',
        label: 'Web site {Address}',
        interval: '00:01:00',
        parameters: { Address: '{Address}', Status: '200-399', Certificate: 'Check' },
        opens: [isDown, over('Certificate ends within 14 days', 'CertificateDays', operatorId.lessThan, '14')],
      },
    ],
    needs: { Address: { format: 'url', example: 'https://www.example.com/' } },
  },
  DatabaseHost: {
    id: 'DatabaseHost',
    filter: "contains(tags,'database') and enabled eq true",
    operations: [
      metrics('00:00:30', '/'),
      {
        package: 'TCP check',
        operation: 'TCP check',
        label: 'Database port {Host}:{Port}',
        interval: '00:01:00',
        parameters: { Host: '{Host}', Port: '{Port}' },
        opens: [isDown],
      },
      {
        package: 'Processes and services',
        operation: 'Process',
        label: 'Database process {Process}',
        interval: '00:01:00',
        parameters: { Name: '{Process}', User: '{User}' },
        opens: [isDown],
      },
    ],
    needs: {
      Host: { format: 'host', usual: '127.0.0.1', example: '127.0.0.1' },
      Port: { format: 'port', usual: '5432', example: '5432' },
      Process: { format: 'line', usual: 'postgres', example: 'postgres' },
      User: { format: 'line', usual: '', example: 'postgres' },
    },
  },
  SnmpSwitch: {
    id: 'SnmpSwitch',
    filter: "contains(tags,'snmp-poller') and enabled eq true",
    operations: [
      {
        package: 'SNMP',
        operation: 'SNMP table',
        label: 'Switch interfaces {Host}',
        interval: '00:01:00',
        parameters: { Host: '{Host}' },
        opens: [isDown],
      },
      {
        package: 'Ping',
        operation: 'Ping',
        label: 'Switch answers {Host:name}',
        interval: '00:01:00',
        // SNMP may have a port of its own, which a ping has not.
        parameters: { Host: '{Host:name}' },
        opens: [isDown],
      },
    ],
    needs: { Host: { format: 'hostPort', example: '192.0.2.1' } },
  },
  Backup: {
    id: 'Backup',
    filter: "contains(tags,'backup') and enabled eq true",
    operations: [
      {
        package: 'Files and logs',
        operation: 'Log pattern',
        label: 'Errors of the backup {Path}',
        interval: '00:15:00',
        parameters: { Path: '{Path}', Pattern: '{Pattern}' },
        opens: [over('Errors in the log', 'Matches', operatorId.greaterThan, '0')],
      },
      {
        package: 'Files and logs',
        operation: 'File',
        label: 'Newest backup {File}',
        interval: '00:15:00',
        parameters: { Path: '{File}', 'Oldest age': '{Hours}' },
        opens: [isDown],
      },
    ],
    needs: {
      Path: { format: 'path', example: '/var/log/backup.log' },
      Pattern: { format: 'pattern', usual: 'error|failed', example: 'error|failed' },
      File: { format: 'path', example: '/var/backups/*.gz' },
      Hours: { format: 'hours', usual: '26', example: '26' },
    },
  },
};

/** What is wrong with what was entered, by need; values that were not entered are the usual ones. */
export function needFaults({ needs }: PolicyTemplate, entered: Readonly<Record<string, string>>): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const [name, { format, usual, example }] of Object.entries(needs)) {
    const value = entered[name]?.trim() ?? usual ?? '';
    const fault =
      value === ''
        ? usual === ''
          ? undefined
          : `${name} is missing. Enter it, as ${example}.`
        : // A placeholder would stay in the check as it is.
          format !== 'pattern' && value.includes('{')
          ? `${name} has a {, which stands for something else. Leave it out.`
          : formatFault(format, name, value);
    if (fault !== undefined) faults[name] = fault;
  }
  return faults;
}

/** What was entered, or is usual. */
export const enteredOrUsual = ({ needs }: PolicyTemplate, entered: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(needs).map(([name, { usual = '' }]) => [name, entered[name]?.trim() ?? usual]));

/** The value of a parameter with what the person has entered; `{Host:name}` is a host without its port. */
export const filledValue = (text: string, entered: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)(:name)?\}/g, (whole, name: string, part?: string) => {
    const value = entered[name];
    return value === undefined ? whole : part === undefined ? value : hostAndPort(value).host;
  });

export const templateFrequency = frequencyType.recurring;
