/** What disks tell about themselves (SMART), by the JSON of smartctl. */
import { figure, ranks, type Figure } from './figures.ts';
import { listAt, numberAt, textAt, valueAt } from './json.ts';

/** Attributes of ATA disks that say something about their end. */
const attributes: readonly (readonly [id: number, name: string])[] = [
  [5, 'ReallocatedSectors'],
  [197, 'PendingSectors'],
  [198, 'UncorrectableSectors'],
  [199, 'TransferErrors'],
];

export interface DiskHealth {
  /** `Unknown` if the disk was not read. */
  state: 'Passed' | 'Failed' | 'Asleep' | 'Unknown';
  figures: Figure[];
  reason?: string;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the answer of `smartctl --json --nocheck=standby -H -A DEVICE`. */
export function readDiskHealth(output: string, name: string): DiskHealth {
  const json = parseJson(output);
  const exitStatus = numberAt(json, 'smartctl', 'exit_status');
  if (exitStatus === undefined) return { state: 'Unknown', figures: [], reason: `${name}: smartctl gives no answer in JSON` };
  const messages = listAt(json, 'smartctl', 'messages').flatMap((item) => textAt(item, 'string') ?? []);
  if (messages.some((text) => /\b(STANDBY|SLEEP)\b/.test(text))) return { state: 'Asleep', figures: [] };
  const table = listAt(json, 'ata_smart_attributes', 'table');
  const attribute = (id: number) =>
    numberAt(
      table.find((candidate) => numberAt(candidate, 'id') === id),
      'raw',
      'value',
    );
  const nvme = valueAt(json, 'nvme_smart_health_information_log');
  const figures = [
    ...figure(`Temperature ${name}`, numberAt(json, 'temperature', 'current'), ranks.part),
    ...figure(`PowerOnHours ${name}`, numberAt(json, 'power_on_time', 'hours'), ranks.detail),
    ...attributes.flatMap(([id, word]) => figure(`${word} ${name}`, attribute(id), ranks.part)),
    ...figure(`WearPercent ${name}`, numberAt(nvme, 'percentage_used'), ranks.part),
    ...figure(`SparePercent ${name}`, numberAt(nvme, 'available_spare'), ranks.part),
    ...figure(`MediaErrors ${name}`, numberAt(nvme, 'media_errors'), ranks.part),
    ...figure(`UnsafeShutdowns ${name}`, numberAt(nvme, 'unsafe_shutdowns'), ranks.detail),
    ...figure(`GrownDefects ${name}`, numberAt(json, 'scsi_grown_defect_list'), ranks.part),
  ];
  const passed = valueAt(json, 'smart_status', 'passed');
  if (typeof passed === 'boolean') return { state: passed ? 'Passed' : 'Failed', figures };
  return { state: 'Unknown', figures, reason: `${name}: ${messages.join(' ') || `no health (smartctl ended with ${exitStatus})`}` };
}

/** Reads the answer of `smartctl --json --scan`; undefined if it is none. */
export function smartDevices(output: string): readonly { name: string; type: string }[] | undefined {
  const json = parseJson(output);
  if (valueAt(json, 'smartctl') === undefined) return undefined;
  return listAt(json, 'devices').flatMap((device) => {
    const [name, type] = [textAt(device, 'name'), textAt(device, 'type')];
    return name === undefined || type === undefined ? [] : [{ name, type }];
  });
}
