import { describe, expect, it } from 'vitest';
import { valuesOf } from '../testing/kernel-tables.ts';
import { readDiskHealth, smartDevices } from './smart.ts';

const answer = (json: object, exitStatus = 0, message?: string) =>
  JSON.stringify({
    json_format_version: [1, 0],
    smartctl: { version: [7, 3], exit_status: exitStatus, ...(message && { messages: [{ string: message, severity: 'error' }] }) },
    ...json,
  });
const attribute = (id: number, value: number) => ({ id, name: 'x', value: 100, raw: { value, string: String(value) } });

describe('what disks tell about themselves', () => {
  it('is read from disks with ATA, NVMe and SAS', () => {
    const ata = readDiskHealth(
      answer({
        smart_status: { passed: false },
        ata_smart_attributes: { table: [attribute(5, 16), attribute(197, 8), attribute(190, 31)] },
        power_on_time: { hours: 41_230 },
        temperature: { current: 34 },
      }),
      'sda',
    );
    expect([ata.state, valuesOf(ata.figures)]).toEqual([
      'Failed',
      { 'Temperature sda': 34, 'PowerOnHours sda': 41_230, 'ReallocatedSectors sda': 16, 'PendingSectors sda': 8 },
    ]);
    const nvme = readDiskHealth(
      answer({
        smart_status: { passed: true, nvme: { value: 0 } },
        nvme_smart_health_information_log: {
          critical_warning: 0,
          available_spare: 100,
          percentage_used: 7,
          media_errors: 0,
          unsafe_shutdowns: 12,
        },
        temperature: { current: 41 },
      }),
      'nvme0',
    );
    expect([nvme.state, valuesOf(nvme.figures)]).toEqual([
      'Passed',
      { 'Temperature nvme0': 41, 'WearPercent nvme0': 7, 'SparePercent nvme0': 100, 'MediaErrors nvme0': 0, 'UnsafeShutdowns nvme0': 12 },
    ]);
    expect(valuesOf(readDiskHealth(answer({ smart_status: { passed: true }, scsi_grown_defect_list: 3 }), 'sdb').figures)).toEqual({
      'GrownDefects sdb': 3,
    });
  });

  it('is unknown if the disk was not read, with the reason, and never a figure of 0', () => {
    expect(readDiskHealth(answer({}, 2, 'Smartctl open device: /dev/sda failed: Permission denied'), 'sda')).toEqual({
      state: 'Unknown',
      figures: [],
      reason: 'sda: Smartctl open device: /dev/sda failed: Permission denied',
    });
    expect(readDiskHealth(answer({}, 4), 'sda').reason).toBe('sda: no health (smartctl ended with 4)');
    for (const output of ['', 'smartctl 6.6 2017', '[]', 'null', '{"smartctl":5}'])
      expect(readDiskHealth(output, 'sda')).toMatchObject({ state: 'Unknown', figures: [] });
  });

  it('is not asked of a disk that sleeps', () => {
    expect(readDiskHealth(answer({}, 2, 'Device is in STANDBY mode, exit(2)'), 'sda')).toEqual({ state: 'Asleep', figures: [] });
  });

  it('needs a list of disks', () => {
    expect(smartDevices(answer({ devices: [{ name: '/dev/sda', info_name: '/dev/sda [SAT]', type: 'sat', protocol: 'ATA' }] }))).toEqual([
      { name: '/dev/sda', type: 'sat' },
    ]);
    expect(smartDevices(answer({}))).toEqual([]);
    expect(smartDevices('smartctl 6.6')).toBeUndefined();
  });
});
