import { describe, expect, it } from 'vitest';
import { addressRules } from './addresses.ts';

/** Returns the host in the form of `new URL`, without brackets. */
const hostOf = (host: string) => new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '');

describe('addresses of outbound calls', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '017700000001',
    '0x7f.1',
    '127.0.1',
    '１２７.０.０.１',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[0:0:0:0:0:0:0:1]',
    '10.0.0.1',
    '172.16.5.4',
    '192.168.1.1',
    '100.64.0.1',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[fe80::1]',
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '168.63.129.16',
    '100.100.100.200',
    '[fd00:ec2::254]',
    '224.0.0.1',
    '255.255.255.255',
    '[ff02::1]',
    '192.0.2.1',
    '198.18.0.1',
    '[2001:db8::1]',
    '[64:ff9b::a9fe:a9fe]',
  ])('refuse %s', (host) => {
    const literal = hostOf(host);
    expect(addressRules([]).refusal(literal, literal)).toBeTruthy();
  });

  it.each(['8.8.8.8', '1.1.1.1', '[2606:4700:4700::1111]', '[::ffff:8.8.8.8]'])('let %s through', (host) => {
    const literal = hostOf(host);
    expect(addressRules([]).refusal(literal, literal)).toBeUndefined();
  });

  it('open a private range or a name by the allow list, but never metadata', () => {
    const rules = addressRules(['10.1.0.0/16', 'hooks.internal', '169.254.0.0/16', '127.0.0.1']);
    expect(rules.refusal('10.1.2.3', 'a.example')).toBeUndefined();
    expect(rules.refusal('10.2.0.1', 'a.example')).toContain('OUTBOUND_ALLOW');
    expect(rules.refusal('192.168.0.9', 'HOOKS.internal')).toBeUndefined();
    expect(rules.refusal('169.254.169.254', 'hooks.internal')).toBeTruthy();
    expect(rules.refusal('168.63.129.16', 'hooks.internal')).toBeTruthy();
    expect(rules.refusal('::ffff:127.0.0.1', 'a.example')).toBeUndefined();
    expect(() => addressRules(['not a host!'])).toThrow('OUTBOUND_ALLOW');
  });
});
