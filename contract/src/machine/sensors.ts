/** Temperatures and fans by `/sys/class/hwmon`, or temperatures by `/sys/class/thermal` where there are no others. */
import { figure, ranks, type Figure } from './figures.ts';
import { readNumber, type KernelFiles } from './kernel-files.ts';

const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

interface SensorValue {
  name: string;
  value: number | undefined;
}

async function sensorsOf(files: KernelFiles, folder: string): Promise<SensorValue[]> {
  const chip = (await files.read(`${folder}/name`))?.trim() ?? '';
  const inputs = (await files.list(folder)).filter((entry) => /^(temp|fan)\d+_input$/.test(entry)).toSorted(byNumber);
  return Promise.all(
    inputs.map(async (input) => {
      const sensor = input.slice(0, -'_input'.length);
      const label = (await files.read(`${folder}/${sensor}_label`))?.trim() || sensor;
      const isFaulty = (await readNumber(files, `${folder}/${sensor}_fault`)) === 1;
      const number = isFaulty ? undefined : await readNumber(files, `${folder}/${input}`);
      const isFan = sensor.startsWith('fan');
      return { name: `${isFan ? 'Fan' : 'Temperature'} ${chip} ${label}`, value: isFan || number === undefined ? number : number / 1_000 };
    }),
  );
}

async function zonesOf(files: KernelFiles): Promise<SensorValue[]> {
  const zones = (await files.list('/sys/class/thermal')).filter((entry) => entry.startsWith('thermal_zone')).toSorted(byNumber);
  return Promise.all(
    zones.map(async (zone) => {
      const folder = `/sys/class/thermal/${zone}`;
      const number = await readNumber(files, `${folder}/temp`);
      const type = (await files.read(`${folder}/type`))?.trim() || zone;
      return { name: `Temperature ${type}`, value: number === undefined ? undefined : number / 1_000 };
    }),
  );
}

/** Returns degrees Celsius and turns per minute, and the sensors that do not answer. Both are empty if the machine has none. */
export async function readSensors(files: KernelFiles): Promise<{ figures: Figure[]; silent: string[] }> {
  const chips = (await files.list('/sys/class/hwmon')).toSorted(byNumber);
  const monitored = (await Promise.all(chips.map((chip) => sensorsOf(files, `/sys/class/hwmon/${chip}`)))).flat();
  const sensors = monitored.some(({ name }) => name.startsWith('Temperature')) ? monitored : [...monitored, ...(await zonesOf(files))];
  // Two disks have sensors of the same name.
  const counts = new Map<string, number>();
  const named = sensors.map(({ name, value }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { name: count === 1 ? name : `${name} ${count}`, value };
  });
  return {
    figures: named.flatMap(({ name, value }) => figure(name, value, ranks.part)),
    silent: named.filter(({ value }) => value === undefined).map(({ name }) => name),
  };
}
