import { execFile } from 'node:child_process';
import { fitFigures } from '@cloudfit/contract/machine/figures.ts';
import { readDiskHealth, smartDevices } from '@cloudfit/contract/machine/smart.ts';
import { report, reportUnknown } from './operation.mjs';

const maxFigures = 400;
const maxStates = 40;

function smartctl(args) {
  return new Promise((resolve) => {
    // Its exit code is a set of bits, which the answer contains too.
    execFile('smartctl', ['--json', ...args], { timeout: 30_000, maxBuffer: 16 * 1024 ** 2 }, (error, stdout) =>
      resolve({ stdout, isMissing: error?.code === 'ENOENT' }),
    );
  });
}

/** The worst of the disks counts; a disk that sleeps is not woken. */
const order = ['Failed', 'Unknown', 'Passed', 'Asleep'];

export async function diskHealth() {
  const scanned = await smartctl(['--scan']);
  if (scanned.isMissing) return reportUnknown('Health', 'SMART is not available: smartctl is not installed (package smartmontools).');
  const devices = smartDevices(scanned.stdout);
  if (!devices) return reportUnknown('Health', 'SMART is not available: smartctl is older than version 7.0, which has no JSON.');
  if (devices.length === 0) return reportUnknown('Health', 'SMART is not available: this machine shows no disk that tells its health.');
  const disks = await Promise.all(
    devices.map(async ({ name, type }) => {
      const short = name.replace('/dev/', '');
      const disk = type.includes(',') ? `${short} ${type}` : short;
      const { stdout } = await smartctl(['--nocheck=standby', '-H', '-A', '-d', type, name]);
      return { disk, ...readDiskHealth(stdout, disk) };
    }),
  );
  const state = order.find((candidate) => disks.some((disk) => disk.state === candidate));
  const { metrics, message } = fitFigures(
    disks.flatMap(({ figures }) => figures),
    maxFigures,
  );
  const reasons = disks.flatMap(({ reason }) => (reason ? [`${reason}.`] : []));
  const text = [...reasons, message].filter(Boolean).join(' ');
  const states = Object.fromEntries(disks.slice(0, maxStates).map((disk) => [`Health ${disk.disk}`, disk.state]));
  if (state === 'Unknown') return reportUnknown('Health', text, { metrics, states });
  report({ value: state, metrics, states: { Health: state, ...states }, ...(text !== '' && { message: text }) });
}
