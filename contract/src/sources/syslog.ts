/** Messages of syslog as devices send them: RFC 5424, RFC 3164, and what is almost one of these. */

export const syslogSeverities = ['emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug'] as const;
export const syslogFacilities = [
  'kern',
  'user',
  'mail',
  'daemon',
  'auth',
  'syslog',
  'lpr',
  'news',
  'uucp',
  'cron',
  'authpriv',
  'ftp',
  'ntp',
  'audit',
  'alert',
  'clock',
  ...Array.from({ length: 8 }, (_, n) => `local${n}`),
] as const;

export interface SyslogMessage {
  facility: string;
  severity: (typeof syslogSeverities)[number];
  /** In milliseconds; only of a time with a zone, because others mean the clock of the sender, wherever it is. */
  time?: number;
  hostname?: string;
  app?: string;
  procId?: string;
  msgId?: string;
  /** Structured data by `ID.name`. */
  data: Record<string, string>;
  text: string;
}

/** `user.notice`, of messages without a priority (RFC 3164, 4.3.3). */
const usualPriority = 13;
const maxData = 100;

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const priority = /^<(\d{1,3})>/;
/** Devices leave parts empty, write longer ones than RFC 5424 allows, such as names of containers, and a blank for the T of the time. */
const time5424 = String.raw`(\d{4}-\d\d-\d\d \d\d:\S+|\S+)`;
const header5424 = new RegExp(String.raw`^1 ${time5424} (\S{0,255}) (\S{0,255}) (\S{0,255}) (\S{0,255}) (?=[-[])`);
/** The time and the host alone, where what follows is not what RFC 5424 wants. */
const start5424 = new RegExp(String.raw`^1 ${time5424} (\S{1,255})(?: |$)`);
/** Also with the year, a fraction and a zone, and with the mark of a clock that is not set, as routers write it. */
const time3164 =
  /^[*.]?(?:[A-Z][a-z]{2} [ \d]?\d (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d+)?(?: [A-Z]{1,5}(?=:))?|\d{4} [A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d(?:\.\d+)?)(?::? |$)/;
const timeIso = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) /;
const sequence = /^\d{1,10}: /;
const host3164 = /^([\w.:%-]{1,255}) (?=\S)/;
const hostBeforeTime = /^([\w.-]{1,255}): (?=[*.]?[A-Z][a-z]{2} [ \d]?\d )/;
const tag = /^([^\s:[\]]{1,64})(?:\[([^\]\s]{1,128})\])?: ?/;

/** Seconds since 1970 where RFC 5424 has a date, and no process, kind and data: devices of Meraki. */
const header5424InSeconds = /^1 (\d{9,10}(?:\.\d{1,9})?) (\S{1,255}) (\S{1,48}) (?=\S)/;

const nil = (text: string | undefined): string | undefined => (text === undefined || text === '-' || text === '' ? undefined : text);

/** Reads the structured data of RFC 5424; returns where the text begins, or undefined if it has not its form. */
function dataOf(text: string, data: Record<string, string>): number | undefined {
  if (text.startsWith('-')) return text.length === 1 || text[1] === ' ' ? 2 : undefined;
  const element = /\[([^\s=\]"]{1,32})((?: [^\s=\]"]{1,32}="(?:[^"\\\]]|\\.)*")*)\]/y;
  let count = 0;
  for (let match = element.exec(text); match; match = element.exec(text))
    for (const [, name = '', value = ''] of (match[2] ?? '').matchAll(/ ([^\s=\]"]+)="((?:[^"\\\]]|\\.)*)"/g))
      if ((count += 1) <= maxData) data[`${match[1]}.${name}`] = value.replaceAll(/\\(["\\\]])/g, '$1');
      else return undefined;
  // `lastIndex` is zero after the first match that failed, so the end is found again.
  const end = /^(?:\[[^\s=\]"]{1,32}(?: [^\s=\]"]{1,32}="(?:[^"\\\]]|\\.)*")*\])+/.exec(text)?.[0].length;
  if (end === undefined || (end < text.length && text[end] !== ' ')) return undefined;
  return end + 1;
}

/** Reads a message of RFC 5424 behind its priority. Of one that is broken as much as has its form; the rest is its text. */
function read5424(rest: string, of: Pick<SyslogMessage, 'facility' | 'severity'>): SyslogMessage {
  const [short, seconds, name, kind] = header5424InSeconds.exec(rest) ?? [];
  if (short !== undefined)
    return {
      ...of,
      time: Math.round(Number(seconds) * 1_000),
      ...present({ hostname: nil(name), app: nil(kind) }),
      data: {},
      text: rest.slice(short.length).trimEnd(),
    };
  const match = header5424.exec(rest) ?? start5424.exec(rest);
  if (!match) return { ...of, data: {}, text: rest.slice(2).trim() };
  const [whole, time = '', hostname, app, procId, msgId] = match;
  const data: Record<string, string> = {};
  const behind = rest.slice(whole.length);
  const at = dataOf(behind, data);
  return {
    ...of,
    ...timeOf(iso.test(time) ? time : undefined),
    ...present({ hostname: nil(hostname), app: nil(app), procId: nil(procId), msgId: nil(msgId) }),
    data: at === undefined ? {} : data,
    // rsyslog puts a space before what programs have logged.
    text: behind
      .slice(at ?? 0)
      .replace(/^ ?\uFEFF?/, '')
      .trimEnd(),
  };
}

function timeOf(text: string | undefined): { time?: number } {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? {} : { time };
}

function present<T extends Record<string, string | undefined>>(parts: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: string };
}

/** Reads a message of RFC 3164, whose parts devices leave out, or write in forms of their own. */
function read3164(rest: string, of: Pick<SyslogMessage, 'facility' | 'severity'>): SyslogMessage {
  let text = rest.replace(sequence, '');
  let hostname: string | undefined;
  const before = hostBeforeTime.exec(text);
  if (before) [hostname, text] = [before[1], text.slice(before[0].length)];
  const dated = timeIso.exec(text);
  const undated = dated ? text.slice(dated[0].length) : text.replace(time3164, '');
  // Without a time there is no host either: the first word is the tag.
  const host = undated === text || hostname !== undefined ? null : host3164.exec(undated);
  if (host && !host[1]?.endsWith(':')) [hostname, text] = [host[1], undated.slice(host[0].length)];
  else text = undated;
  // Firewalls of Cisco write `host : %ASA-6-302013: text`.
  text = text.replace(/^: (?=%)/, '');
  const tagged = tag.exec(text);
  return {
    ...of,
    ...timeOf(dated?.[1]),
    ...present({ hostname, app: tagged?.[1], procId: tagged?.[2] }),
    data: {},
    text: (tagged ? text.slice(tagged[0].length) : text).trim(),
  };
}

/** Parses a message; returns a text that says what is wrong with one that cannot be read. */
export function parseSyslog(sent: string): SyslogMessage | string {
  const message = sent.replace(/^\uFEFF/, '').replace(/[\0\r\n]+$/, '');
  if (message.trim() === '') return 'The message is empty.';
  if (message.includes('\0')) return 'The message has bytes that are no text.';
  const written = priority.exec(message)?.[1];
  const number = written === undefined ? usualPriority : Number(written);
  if (number > 191) return `${number} is no priority: it is at most 191.`;
  const rest = written === undefined ? message : message.slice(written.length + 2);
  const of = { facility: syslogFacilities[number >> 3] ?? 'user', severity: syslogSeverities[number & 7] ?? 'notice' };
  return written !== undefined && /^1 \S/.test(rest) ? read5424(rest, of) : read3164(rest, of);
}
