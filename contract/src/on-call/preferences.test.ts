import { describe, expect, it } from 'vitest';
import { defaultPreferences, preferenceProblems, quietUntil, stepsFor, type NotificationPreferences } from './preferences.ts';
import { severities } from '../enums.ts';

const all = [...severities];
const night: NotificationPreferences = {
  ...defaultPreferences,
  timeZone: 'Europe/Berlin',
  quietHours: [{ days: [0, 1, 2, 3, 4, 5, 6], from: '22:00', to: '07:00' }],
};
const at = (text: string): number => Date.parse(text);

describe('quiet hours', () => {
  it('hold until their end by the clock of the person', () => {
    expect(quietUntil(night, 'Sev3', at('2026-06-01T21:00Z'))).toBe(at('2026-06-02T05:00Z'));
    expect(quietUntil(night, 'Sev3', at('2026-06-02T04:59Z'))).toBe(at('2026-06-02T05:00Z'));
    expect(quietUntil(night, 'Sev3', at('2026-06-02T05:00Z'))).toBeUndefined();
    expect(quietUntil(night, 'Sev3', at('2026-06-01T19:59Z'))).toBeUndefined();
  });

  it('end at seven in the morning after the clocks have changed in the night', () => {
    expect(quietUntil(night, 'Sev3', at('2026-03-28T22:30Z'))).toBe(at('2026-03-29T05:00Z'));
    expect(quietUntil(night, 'Sev3', at('2026-10-24T22:30Z'))).toBe(at('2026-10-25T06:00Z'));
  });

  it('hold nothing that is urgent for everybody or for this person', () => {
    const moment = at('2026-06-01T23:00Z');
    const heldSeverities = (urgent: NotificationPreferences['urgent']) =>
      severities.filter((severity) => quietUntil({ ...night, urgent }, severity, moment) !== undefined);
    expect(heldSeverities([])).toEqual(['Sev2', 'Sev3', 'Sev4']);
    expect(heldSeverities(['Sev2'])).toEqual(['Sev3', 'Sev4']);
    expect(quietUntil(defaultPreferences, 'Sev4', moment)).toBeUndefined();
  });

  it('may last a weekend and not a week', () => {
    const weekend = [
      { days: [5], from: '18:00', to: '24:00' },
      { days: [6, 0], from: '00:00', to: '24:00' },
      { days: [1], from: '00:00', to: '08:00' },
    ];
    expect(preferenceProblems({ ...night, quietHours: weekend })).toEqual([]);
    expect(quietUntil({ ...night, quietHours: weekend }, 'Sev3', at('2026-06-05T18:00Z'))).toBe(at('2026-06-08T06:00Z'));
    expect(preferenceProblems({ ...night, quietHours: [{ days: [0, 1, 2, 3, 4, 5, 6], from: '00:00', to: '24:00' }] })).toEqual([
      { target: 'quietHours', message: 'Quiet hours last at most 72 hours without a break.' },
    ]);
  });
});

describe('the order of channels', () => {
  const order: NotificationPreferences = {
    ...defaultPreferences,
    steps: [
      { channel: 'Mail', afterMinutes: 10, severities: all },
      { channel: 'Push', afterMinutes: 0, severities: ['Sev0', 'Sev1'] },
      { channel: 'Sms', afterMinutes: 5, severities: ['Sev0', 'Sev1', 'Sev2'] },
    ],
  };
  const shown = (severity: string, ...usable: ('Push' | 'Sms' | 'Mail')[]) =>
    stepsFor(order, severity, new Set(usable)).map(({ channel, afterMs }) => `${channel} ${afterMs / 60_000}`);

  it('is by the waits and the severity', () => {
    expect(shown('Sev1', 'Push', 'Sms', 'Mail')).toEqual(['Push 0', 'Sms 5', 'Mail 10']);
    expect(shown('Sev2', 'Push', 'Sms', 'Mail')).toEqual(['Sms 0', 'Mail 5']);
    expect(shown('Sev4', 'Push', 'Sms', 'Mail')).toEqual(['Mail 0']);
  });

  it('does not wait for a channel that reaches nobody, and falls back to one that does', () => {
    expect(shown('Sev1', 'Sms', 'Mail')).toEqual(['Sms 0', 'Mail 5']);
    expect(shown('Sev4', 'Push', 'Sms')).toEqual(['Push 0']);
    expect(shown('Sev1')).toEqual([]);
  });

  it('must have a channel for each severity', () => {
    const steps = [{ channel: 'Push' as const, afterMinutes: 0, severities: ['Sev0' as const, 'Sev1' as const] }];
    expect(preferenceProblems({ ...order, steps })).toEqual([
      { target: 'steps', message: 'No channel is chosen for Sev2, Sev3, Sev4. Each severity needs at least one channel.' },
    ]);
    expect(preferenceProblems(defaultPreferences)).toEqual([]);
  });
});
