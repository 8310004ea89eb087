import { describe, expect, it } from 'vitest';
import { systemdReport, windowsReport } from './services.ts';

const systemd = (active: string, sub: string, load = 'loaded') =>
  systemdReport(`LoadState=${load}\nActiveState=${active}\nSubState=${sub}\n`);

describe('services', () => {
  it('of systemd are what they are: a service that reloads is up', () => {
    const states = (rows: readonly (readonly [string, string, string?])[]) =>
      rows.map(([active, sub, load]) => systemd(active, sub, load)).map(({ state, isUp }) => [state, isUp]);
    expect(
      states([
        ['active', 'running'],
        ['active', 'exited'],
        ['reloading', 'reload'],
        ['refreshing', 'refresh'],
        ['activating', 'start-pre'],
        ['activating', 'auto-restart'],
        ['deactivating', 'stop-sigterm'],
        ['failed', 'failed'],
        ['inactive', 'dead'],
        ['maintenance', 'cleaning'],
        ['inactive', 'dead', 'not-found'],
        ['active', 'running', 'not-found'],
        ['inactive', 'dead', 'masked'],
      ]),
    ).toEqual([
      ['Running', true],
      ['Running', true],
      ['Reloading', true],
      ['Refreshing', true],
      ['Starting', false],
      ['Restarting', false],
      ['Stopping', false],
      ['Failed', false],
      ['Stopped', false],
      ['Maintenance', false],
      ['Missing', false],
      ['Running', true],
      ['Masked', false],
    ]);
  });

  it('in a state that nobody knows are unknown, neither up nor down', () => {
    expect(systemd('hibernating', 'cold')).toEqual({
      state: 'Unknown',
      isUp: undefined,
      states: { ActiveState: 'hibernating', SubState: 'cold' },
      message: 'The state of the service is not known: systemd says hibernating.',
    });
    expect(systemdReport('')).toMatchObject({ state: 'Unknown', isUp: undefined, states: {} });
  });

  it('of Windows are told by numbers, in each language', () => {
    const output = (state: number, word: string) =>
      `\r\nSERVICE_NAME: Spooler \r\n        TYP                : 110  WIN32_OWN_PROCESS  (interactive)\r\n        STATUS             : ${state}  ${word} \r\n                                (STOPPABLE, NOT_PAUSABLE, ACCEPTS_SHUTDOWN)\r\n        WIN32_EXIT_CODE    : 0  (0x0)\r\n        SERVICE_EXIT_CODE  : 0  (0x0)\r\n`;
    expect([1, 2, 3, 4, 5, 6, 7].map((state) => windowsReport(output(state, 'X'), 0).state)).toEqual([
      'Stopped',
      'Starting',
      'Stopping',
      'Running',
      'Resuming',
      'Pausing',
      'Paused',
    ]);
    expect(windowsReport(output(4, 'RUNNING'), 0).isUp).toBe(true);
    expect(windowsReport(output(9, 'DREAMING'), 0)).toMatchObject({ state: 'Unknown', isUp: undefined });
    expect(windowsReport('[SC] EnumQueryServicesStatus:OpenService FEHLER 1060:\r\n\r\nDer Dienst ...\r\n', 1060).state).toBe('Missing');
    // Without the right to ask, the service is not missing.
    expect(windowsReport('[SC] OpenService FAILED 5:\r\n\r\nAccess is denied.\r\n', 5)).toEqual({
      state: 'Unknown',
      isUp: undefined,
      states: {},
      message: 'The state of the service is not known: sc.exe ended with 5.',
    });
  });
});
