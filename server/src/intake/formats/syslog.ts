/** Syslog: messages that a listener of an agent has heard, or lines that somebody posts. */
import { parseSyslog, type SyslogMessage } from '@cloudfit/contract/sources/syslog.ts';
import type { Format } from '../format.ts';
import { linesIn, refusedReading, type Payload, type RefusedReading, type SourceReading } from '../readings.ts';
import { cut, listenerReading, readItems, trustedTime, withoutEmpty, type ListenerItem } from './listener-items.ts';

const maxData = 50;
/** As long as one that a listener takes. */
const longestMessage = 65_536;

function namesOf({ hostname, app, procId, msgId, facility, severity, data }: SyslogMessage): Record<string, string> {
  const named = { hostname, app, procid: procId, msgid: msgId, facility, severity };
  const present = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(Object.entries(data).slice(0, maxData)), ...Object.fromEntries(present) };
}

function readMessage(item: ListenerItem, payload: Payload): SourceReading | RefusedReading {
  const { text } = item;
  if (typeof text !== 'string') return refusedReading('InvalidItem', 'An item of syslog has the message as text.', item);
  if (text.length > longestMessage)
    return refusedReading('MessageTooLong', `A message has at most ${longestMessage} characters.`, text.slice(0, 1_000));
  const message = parseSyslog(text);
  if (typeof message === 'string') return refusedReading('MalformedMessage', message, item);
  const reading = listenerReading(item, payload);
  const { hostname, app, procId, msgId, facility, severity, data } = message;
  const named = { Hostname: hostname, App: app, ProcId: procId, MsgId: msgId, Facility: facility };
  const properties = Object.fromEntries(Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return {
    ...reading,
    ...trustedTime(message.time, reading.received),
    labels: { ...reading.labels, ...namesOf(message) },
    // A line names its severity and host apart; `{rest}` would make a name of each process.
    notInRest: ['severity', 'procid', 'msgid'],
    message: withoutEmpty({
      Value: cut(message.text),
      States: { Severity: severity },
      Properties: { ...Object.fromEntries(Object.entries(data).slice(0, maxData)), ...properties, ...reading.message.Properties },
    }),
  };
}

const isJson = ({ contentType, bytes }: Payload): boolean =>
  /\bjson\b/i.test(contentType) || (!/^text\//i.test(contentType) && /^\s*[[{]/.test(bytes.subarray(0, 100).toString()));

export const syslog: Format = {
  read: async (payload, { turn }) => {
    if (isJson(payload)) return readItems(payload, (item) => readMessage(item, payload), turn);
    const readings = [];
    for (const text of linesIn(payload)) {
      readings.push(readMessage({ text }, payload));
      await turn();
    }
    return readings;
  },
};
