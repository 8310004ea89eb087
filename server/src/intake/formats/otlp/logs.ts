/** Records of OTLP logs as packets of their own: severity as a state, the text as a property. */
import { refusedReading, type RefusedReading, type SourceReading } from '../../readings.ts';
import { cut } from '../alert.ts';
import type { OtlpLogItem } from './model.ts';

const severities = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;

/** The range of a number from 1 to 24, or the word of the sender in capitals. */
const severityOf = (number: number, text: string): string =>
  severities[Math.floor((number - 1) / 4)] ?? (text.trim().toUpperCase().slice(0, 50) || 'UNSPECIFIED');

/** Attributes that a packet of a record may have beside its fields. */
const maxProperties = 200;

export function readLog(item: OtlpLogItem): SourceReading | RefusedReading {
  const { resource, scope } = item;
  if ('fault' in item) return refusedReading('InvalidRecord', `A record cannot be read: ${item.fault}`, { resource });
  const { attributes, time, severityNumber, severityText, body, traceId, spanId, eventName } = item.record;
  const severity = severityOf(severityNumber, severityText);
  const text = cut(body || eventName);
  const named = Object.fromEntries(
    Object.entries({ Scope: scope, TraceId: traceId, SpanId: spanId, Event: eventName, SeverityText: severityText }).filter(
      ([, value]) => value !== '',
    ),
  );
  return {
    labels: { ...resource, ...attributes },
    ...(time > 0 ? { time, id: JSON.stringify([time, severity, body, traceId, spanId, resource, attributes]) } : {}),
    message: {
      Value: text,
      States: { Severity: severity },
      Properties: { ...Object.fromEntries(Object.entries(attributes).slice(0, maxProperties)), ...named, Text: text },
      ...(severityNumber > 0 ? { Metrics: { SeverityNumber: severityNumber } } : {}),
    },
  };
}
