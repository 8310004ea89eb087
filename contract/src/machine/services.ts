/** States of services. A state that the tables do not name is Unknown, with the name that the system gives it. */

export interface ServiceReport {
  state: string;
  /** Undefined if the state does not say whether the service is up. */
  isUp: boolean | undefined;
  /** The words of the system. */
  states: Record<string, string>;
  message?: string;
}

const systemdStates: Readonly<Record<string, readonly [state: string, isUp: boolean]>> = {
  active: ['Running', true],
  // A service that reads its settings again does its work meanwhile.
  reloading: ['Reloading', true],
  refreshing: ['Refreshing', true],
  inactive: ['Stopped', false],
  failed: ['Failed', false],
  activating: ['Starting', false],
  deactivating: ['Stopping', false],
  maintenance: ['Maintenance', false],
};

const unknown = (what: string, states: Record<string, string>): ServiceReport => ({
  state: 'Unknown',
  isUp: undefined,
  states,
  message: `The state of the service is not known: ${what}.`,
});

/** Reads the answer of `systemctl show --property=LoadState,ActiveState,SubState`. */
export function systemdReport(output: string): ServiceReport {
  const field = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(output)?.[1] ?? '';
  const [load, active, sub] = [field('LoadState'), field('ActiveState'), field('SubState')];
  const states = Object.fromEntries(Object.entries({ ActiveState: active, SubState: sub }).filter(([, word]) => word !== ''));
  const [state, isUp] = systemdStates[active] ?? [];
  // A unit whose file is gone may still run.
  if (load === 'not-found' && !isUp) return { state: 'Missing', isUp: false, states };
  if (load === 'masked' && active === 'inactive') return { state: 'Masked', isUp: false, states };
  if (state === undefined || isUp === undefined)
    return unknown(active === '' ? 'systemd does not tell one' : `systemd says ${active}`, states);
  // A service that ends again and again is waiting for its next start.
  if (sub.startsWith('auto-restart')) return { state: 'Restarting', isUp: false, states };
  return { state, isUp, states };
}

const windowsStates: Readonly<Record<string, readonly [state: string, isUp: boolean]>> = {
  1: ['Stopped', false],
  2: ['Starting', false],
  3: ['Stopping', false],
  4: ['Running', true],
  5: ['Resuming', false],
  6: ['Pausing', false],
  7: ['Paused', false],
};
const noSuchService = 1_060;

/** Reads the answer of `sc.exe query`, by numbers only, because the words may be translated. */
export function windowsReport(output: string, exitCode: number): ServiceReport {
  // The first number is the kind of the service, the second its state: `STATE : 4  RUNNING`.
  const [, code] = [...output.matchAll(/^[ \t]+\S[^:]*:[ \t]+([\da-f]+)[ \t]+[A-Z_]/gm)].map((match) => match[1] ?? '');
  if (exitCode === noSuchService || new RegExp(`\\b${noSuchService}:`).test(output)) return { state: 'Missing', isUp: false, states: {} };
  const [state, isUp] = windowsStates[code ?? ''] ?? [];
  if (state !== undefined && isUp !== undefined) return { state, isUp, states: {} };
  return unknown(code === undefined ? `sc.exe ended with ${exitCode}` : `sc.exe says ${code}`, {});
}
