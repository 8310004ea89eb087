import { expect, it } from 'vitest';
import { networkOf } from './network.ts';

it('counts the addresses of one IPv6 /64 as one network', () => {
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::9'));
  expect(networkOf('2001:0db8:0001:0002:ffff:ffff:ffff:ffff')).toBe(networkOf('2001:DB8:1:2::'));
  expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
  expect(networkOf('fe80::1%eth0')).toBe(networkOf('fe80::2'));
});

it('counts each IPv4 address by itself, also when it comes as IPv6', () => {
  expect(networkOf('10.0.0.1')).toBe('10.0.0.1');
  expect(networkOf('::ffff:10.0.0.1')).toBe('10.0.0.1');
  expect(networkOf('::ffff:10.0.0.2')).not.toBe(networkOf('::ffff:10.0.0.1'));
});

it('counts callers without an address as one network', () => {
  expect([undefined, '', 'unix:', '10.0.0.1:80'].map(networkOf)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
});
