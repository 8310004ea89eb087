/** Mails of the email action: templates, parameters and subjects. */
import { describe, expect, it } from 'vitest';
import { emailTemplates } from '@cloudfit/contract/enums.ts';
import { readerOf } from '../platform/language.ts';
import { composeEmail, type MailCause } from './send-email.ts';

const values = {
  Label: 'Hot: web-1',
  RuleName: 'Hot',
  DeviceName: 'web-1',
  TenantName: 'Northwind',
  PublicWorkUnitId: 1001,
  Title: 'Mail is down',
  StakeHolderFullName: 'Sam Field',
  Resolution: 'Restarted.',
};
const mail = (parameters: MailCause['parameters'], more: Partial<MailCause> = {}) =>
  composeEmail({
    parameters: { To: 'desk@example.com', ...parameters },
    tenant: { name: 'Northwind', email: 'noc@example.com' },
    values,
    workUnitId: undefined,
    reader: readerOf(null),
    ...more,
  });

describe('a mail', () => {
  it('is in the language of its reader, with their times; what a person wrote stays', () => {
    const facts = 'Seen: 5\nSince: 2026-07-01T12:00:00.000Z\nRule: https://ops.example.com/rules';
    const more = {
      workUnitId: 7,
      reader: { language: 'de' as const, timeZone: 'Europe/Berlin', format: null },
      values: { ...values, State: 'InProgress', Facts: facts, Description: `Rule: mine\n${facts}`, Body: 'State: {State}' },
    };
    const { subject, text } = mail({ Template: 'Detailed', Body: 'Please look: {State}' }, more);
    expect(subject).toBe('Vorgang 1001: Mail is down');
    for (const part of [
      'Please look: In Arbeit',
      'Zustand: In Arbeit',
      'Beobachtet: 5',
      'Seit: 01.07.2026, 14:00 MESZ',
      'Rule: mine',
      'Regel: https',
    ])
      expect(text).toContain(part);
    const inEnglish = mail({ Template: 'Detailed' }, { ...more, reader: readerOf(null) });
    expect(inEnglish.text).toContain('State: InProgress');
    expect(inEnglish.text).toContain('Since: 2026-07-01T12:00:00.000Z');
    expect(mail({ Template: 'Simple' }, { ...more, reader: { language: 'en', timeZone: null, format: 'en-US' } }).text).toContain(
      'Since: 07/01/2026, 12:00 PM UTC',
    );
  });

  it('[ACT-037] has a subject of each template, with its placeholders filled', () => {
    for (const Template of emailTemplates) {
      for (const workUnitId of [undefined, 7]) {
        const { subject } = mail({ Template }, { workUnitId });
        expect([Template, subject]).toEqual([Template, expect.stringMatching(/Hot|1001|Mail is down/)]);
        expect(subject).not.toContain('{');
      }
    }
    expect(() => mail({ Template: 'Fancy' })).toThrow('There is no mail template Fancy.');
  });

  it('has at most 100 recipients and no line break among them, also not from a value', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `a${i}@example.com`).join(', ');
    expect(mail({ To: many(60), Cc: many(40) }).to).toContain('a59@example.com');
    expect(() => mail({ To: many(60), Cc: many(41) })).toThrow('A mail has at most 100 recipients; this one has 101.');
    for (const parameters of [{ To: 'a@example.com\r\nBcc: x@example.com' }, { Bcc: '{Label}' }])
      expect(() => mail(parameters, { values: { ...values, Label: 'x@example.com\n' } })).toThrow('cannot have a line break');
  });

  it('[ACT-038] [ACT-039] tells those who asked that their request was received and is resolved', () => {
    expect(mail({ Template: 'ResolutionCenterCreated' }, { workUnitId: 7 })).toMatchObject({
      subject: 'We received your request 1001',
      text: expect.stringContaining('Hello Sam Field'),
    });
    expect(mail({ Template: 'ResolutionCenterResolved' }, { workUnitId: 7 })).toMatchObject({
      subject: 'Your request 1001 is resolved',
      text: expect.stringContaining('Restarted.'),
    });
  });

  it('leaves out what a default text has no value for, and keeps the rest', () => {
    const bare = {
      Label: 'Severe: Mail is down',
      RuleName: 'Severe',
      TenantName: 'Northwind',
      PublicWorkUnitId: 1001,
      DeviceName: undefined,
    };
    for (const Template of emailTemplates) {
      const { subject, text, unknown } = mail({ Template }, { values: bare });
      expect([Template, subject, text, unknown]).toEqual([
        Template,
        expect.not.stringMatching(/[{}]/),
        expect.not.stringMatching(/[{}]/),
        [],
      ]);
    }
    expect(mail({ Template: 'Simple' }, { values: bare }).text).toBe('Severe: Mail is down\n\nTenant: Northwind');
    expect(mail({ Template: 'Rule' }, { values: bare }).subject).toBe('Severe: Mail is down');
    expect(mail({ Template: 'ResolutionCenterCreated' }, { workUnitId: 7 }).text).toContain('Hello Sam Field,\n');
    // Of a text that a person wrote, no line is left out.
    const ofPerson = mail({ Template: 'None', Body: 'Device: {DeviceName}\nPlace: {LocationName|none}' }, { values: bare });
    expect([ofPerson.text, ofPerson.empty]).toEqual(['Device: \nPlace: none', ['DeviceName']]);
  });

  it('[ACT-036] is important when its flag says so', () => {
    expect([true, 'true', false, 'no', null].map((IsImportant) => mail({ IsImportant }).important)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('[ACT-040] fills placeholders from its key=value pairs too', () => {
    const { text, unknown } = mail({
      Template: 'None',
      Body: '{Team} has {Shift}, {Nobody}',
      ExtraParameters: 'Team=Night watch\nShift=3=c; Bad',
    });
    expect(text).toBe('Night watch has 3=c, {Nobody}');
    expect(unknown).toEqual(['Nobody']);
    const ofSecret = composeEmail(
      {
        parameters: { To: 'desk@example.com', Template: 'None', Body: '{Secret:api}', ExtraParameters: 'Secret:api=of somebody else' },
        tenant: { name: 'Northwind', email: null },
        values,
        workUnitId: undefined,
        reader: readerOf(null),
      },
      { 'Secret:api': 'value' },
    );
    expect(ofSecret.text).toBe('value');
  });

  it('goes to the tenant’s address when it names nobody, and never without one', () => {
    expect(mail({ To: null }).to).toBe('noc@example.com');
    expect(() => mail({ To: null }, { tenant: { name: 'Northwind', email: null } })).toThrow('no recipient');
    expect(mail({ Cc: '{StakeHolderFullName} <sam@example.com>' }).cc).toBe('Sam Field <sam@example.com>');
  });
});
