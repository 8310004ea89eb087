import { describe, expect, it } from 'vitest';
import { parseSyslog } from './syslog.ts';

describe('a message of RFC 5424', () => {
  it('has its time, names, structured data and text', () => {
    expect(
      parseSyslog(
        '<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog 77 ID47 [exampleSDID@32473 iut="3" said="a \\"b\\" \\]c"][x@1 y="z"] \uFEFFAn event\n',
      ),
    ).toEqual({
      facility: 'local4',
      severity: 'notice',
      time: Date.UTC(2003, 9, 11, 22, 14, 15, 3),
      hostname: 'mymachine.example.com',
      app: 'evntslog',
      procId: '77',
      msgId: 'ID47',
      data: { 'exampleSDID@32473.iut': '3', 'exampleSDID@32473.said': 'a "b" ]c', 'x@1.y': 'z' },
      text: 'An event',
    });
  });

  it.each([
    ['<34>1 - - - - - - only text', 'only text'],
    ['<34>1 - - - - - -  what rsyslog sends', 'what rsyslog sends'],
    ['<34>1 - - - - - -  \uFEFFwith a mark', 'with a mark'],
    ['<34>1 - - - - - -', ''],
    ['<34>1 - - - - - [a@1 b="c"]', ''],
  ])('may leave everything out: %s', (sent, text) => {
    const message = parseSyslog(sent);
    expect(message).toMatchObject({ facility: 'auth', severity: 'critical', text });
    expect(message).not.toHaveProperty('hostname');
    expect(message).not.toHaveProperty('time');
  });

  it('may have seconds since 1970 as its time, and no process, kind and data', () => {
    expect(parseSyslog('<134>1 1764436455.1234 MX84 urls src=192.0.2.1:80 request: GET')).toEqual({
      facility: 'local0',
      severity: 'info',
      time: 1_764_436_455_123,
      hostname: 'MX84',
      app: 'urls',
      data: {},
      text: 'src=192.0.2.1:80 request: GET',
    });
  });

  it.each([
    ['<34>1 yesterday host app - - - text', { hostname: 'host', app: 'app', text: 'text' }],
    ['<34>1 2026-11-30T04:05:09 host app - - - local time', { hostname: 'host', app: 'app', text: 'local time' }],
    ['<34>1 2026-11-30 04:05:09 host app - - - a blank', { hostname: 'host', app: 'app', text: 'a blank' }],
    ['<34>1 2003-10-11T22:14:15Z host', { hostname: 'host', text: '' }],
    ['<34>1 2003-10-11T22:14:15Z fw1 Interface ge-0 is down', { hostname: 'fw1', text: 'Interface ge-0 is down' }],
    ['<34>1 2003-10-11T22:14:15Z fw1 tmm 1 2 no data here', { hostname: 'fw1', text: 'tmm 1 2 no data here' }],
    ['<34>1 2003-10-11T22:14:15Z host  - - - no program', { hostname: 'host', text: 'no program' }],
    [`<34>1 - host ${'k8s-pod-'.repeat(8)}1 - - - long`, { hostname: 'host', app: `${'k8s-pod-'.repeat(8)}1`, text: 'long' }],
    ['<34>1 - host app - - [nsx level=INFO] text', { hostname: 'host', app: 'app', data: {}, text: '[nsx level=INFO] text' }],
    ['<34>1 alone', { text: 'alone' }],
  ])('is read as far as it has its form: %s', (sent, expected) => {
    const message = parseSyslog(sent);
    expect(message).toMatchObject({ facility: 'auth', severity: 'critical', ...expected });
    for (const name of ['hostname', 'app', 'procId', 'msgId']) if (!(name in expected)) expect(message).not.toHaveProperty(name);
  });
});

describe('a message of RFC 3164', () => {
  it.each([
    [
      "<34>Oct 11 22:14:15 mymachine su: 'su root' failed",
      { hostname: 'mymachine', app: 'su', text: "'su root' failed", facility: 'auth' },
    ],
    ['<13>Feb  5 17:32:18 10.0.0.99 Use the BFG!', { hostname: '10.0.0.99', text: 'Use the BFG!' }],
    ['<30>Oct  1 01:02:03 web-1 sshd[4711]: Failed password', { hostname: 'web-1', app: 'sshd', procId: '4711', text: 'Failed password' }],
    ['<13>Oct 11 22:14:15 su: no host', { app: 'su', text: 'no host' }],
    [
      '<189>45: switch1: *Mar  1 18:48:50.483 UTC: %SYS-5-CONFIG_I: Configured',
      { hostname: 'switch1', app: '%SYS-5-CONFIG_I', text: 'Configured' },
    ],
    ['<189>46: .Mar  1 2026 18:48:50.483: %LINK-3-UPDOWN: Interface down', { app: '%LINK-3-UPDOWN', text: 'Interface down' }],
    ['<166>Nov 29 2026 17:14:15 fw1 : %ASA-6-302013: Built', { hostname: 'fw1', app: '%ASA-6-302013', text: 'Built' }],
    ['<14>app[1]: only a tag', { app: 'app', procId: '1', text: 'only a tag' }],
    ['no priority at all', { facility: 'user', severity: 'notice', text: 'no priority at all' }],
    [
      '<30>2026-11-29T14:00:00.5+01:00 fw-1 kernel: drop',
      { hostname: 'fw-1', app: 'kernel', text: 'drop', time: Date.UTC(2026, 10, 29, 13, 0, 0, 500) },
    ],
  ])('is read in its forms: %s', (sent, expected) => {
    const message = parseSyslog(sent);
    expect(message).toMatchObject(expected);
    for (const name of ['hostname', 'time', 'procId']) if (!(name in expected)) expect(message).not.toHaveProperty(name);
  });
});

it.each([
  ['', 'The message is empty.'],
  ['\0\0', 'The message is empty.'],
  ['<13>a\0b', 'The message has bytes that are no text.'],
  ['<192>Oct 11 22:14:15 a b: c', '192 is no priority: it is at most 191.'],
])('refuses %j', (sent, problem) => {
  expect(parseSyslog(sent)).toBe(problem);
});
