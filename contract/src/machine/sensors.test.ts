import { describe, expect, it } from 'vitest';
import { kernelTables, valuesOf } from '../testing/kernel-tables.ts';
import { pressureFigures } from './pressure.ts';
import { readSensors } from './sensors.ts';

const sensorsOf = async (tables: Record<string, string>) => {
  const { figures, silent } = await readSensors(kernelTables(tables));
  return { figures: valuesOf(figures), silent };
};

describe('sensors', () => {
  it('are those of the chips, by their labels', async () => {
    const tables = {
      '/sys/class/hwmon/hwmon0/name': 'coretemp\n',
      '/sys/class/hwmon/hwmon0/temp1_input': '61500\n',
      '/sys/class/hwmon/hwmon0/temp1_label': 'Package id 0\n',
      '/sys/class/hwmon/hwmon0/temp2_input': '59000\n',
      '/sys/class/hwmon/hwmon1/name': 'nvme\n',
      '/sys/class/hwmon/hwmon1/temp1_input': '38850\n',
      '/sys/class/hwmon/hwmon2/name': 'nvme\n',
      '/sys/class/hwmon/hwmon2/temp1_input': '-5000\n',
      '/sys/class/hwmon/hwmon10/name': 'nct6775\n',
      '/sys/class/hwmon/hwmon10/fan1_input': '0\n',
      '/sys/class/hwmon/hwmon10/temp1_input': '127000\n',
      '/sys/class/hwmon/hwmon10/temp1_fault': '1\n',
      '/sys/class/hwmon/hwmon10/temp2_input': '',
      '/sys/class/thermal/thermal_zone0/type': 'acpitz\n',
      '/sys/class/thermal/thermal_zone0/temp': '27800\n',
    };
    expect(await sensorsOf(tables)).toEqual({
      figures: {
        'Temperature coretemp Package id 0': 61.5,
        'Temperature coretemp temp2': 59,
        'Temperature nvme temp1': 38.9,
        'Temperature nvme temp1 2': -5,
        'Fan nct6775 fan1': 0,
      },
      silent: ['Temperature nct6775 temp1', 'Temperature nct6775 temp2'],
    });
  });

  it('are zones on machines without chips, and none on virtual machines', async () => {
    const zone = { '/sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n', '/sys/class/thermal/thermal_zone0/temp': '48312\n' };
    expect((await sensorsOf(zone)).figures).toEqual({ 'Temperature cpu-thermal': 48.3 });
    expect(await sensorsOf({})).toEqual({ figures: {}, silent: [] });
  });
});

it('pressure is the share of the last minute in which programs waited; a kernel without it has none', async () => {
  const line = (share: string, average: number) => `${share} avg10=9.00 avg60=${average} avg300=1.00 total=123\n`;
  const tables = {
    '/proc/pressure/cpu': line('some', 41.25) + line('full', 0),
    '/proc/pressure/memory': line('some', 1.5) + line('full', 0.5),
    '/proc/pressure/io': line('some', 12) + line('full', 7),
  };
  expect(valuesOf(await pressureFigures(kernelTables(tables)))).toEqual({
    PressureCpuSome: 41.25,
    PressureMemorySome: 1.5,
    PressureMemoryFull: 0.5,
    PressureIoSome: 12,
    PressureIoFull: 7,
  });
  expect(await pressureFigures(kernelTables({ '/proc/pressure/cpu': '' }))).toEqual([]);
});
