/** A packet: its value, its readings, and all of it as JSON. */
import { packetTexts as t } from '@cloudfit/contract/messages/packets.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { packets } from '@cloudfit/contract/resources/packets.ts';
import { JsonBlock } from '../../components/json-block.tsx';
import { ReadOnlyField } from '../../components/read-only-field.tsx';
import { exactTime } from '../../theme/times.ts';
import { EmptyState } from '../../components/states.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { whyAddress } from '../explanations/addresses.ts';
import { WhyLink } from '../explanations/why-link.tsx';
import { packetValueText } from './packet-value.ts';
import './packets.css';

export type Packet = Row<typeof packets>;

const sections = ['Metrics', 'States', 'Properties'] as const;

function Values({ title, values }: { title: string; values: Readonly<Record<string, string | number | boolean | null>> }) {
  return (
    <section className="form-section" aria-label={title}>
      <h3>{title}</h3>
      <table className="packet-values" aria-label={title}>
        <tbody>
          {Object.entries(values).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="num">{packetValueText(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type ShownPacket = Pick<Packet, 'entityId' | 'timestamp' | 'receivedTimestamp' | 'message'>;

export function PacketDetails({ packet }: { packet: ShownPacket | undefined }) {
  const { tenantId } = useScope();
  if (!packet) return <EmptyState icon="empty" title={t.none} text={t.noneText} />;
  const { message } = packet;
  const value = packetValueText(message.Value);
  return (
    <>
      {value !== '' && <p className="packet-big">{value}</p>}
      <section className="form-section" aria-label={t.title}>
        {tenantId && <WhyLink button to={whyAddress(tenantId, { entityId: packet.entityId, at: packet.timestamp })} of={t.title} />}
        <dl className="form-grid facts">
          <ReadOnlyField kind="text" label={t.entity} value={packet.entityId} />
          <ReadOnlyField kind="text" label={t.timestamp} value={exactTime(packet.timestamp)} />
          <ReadOnlyField kind="text" label={t.received} value={exactTime(packet.receivedTimestamp)} />
        </dl>
      </section>
      {sections.map((name) => {
        const values = message[name];
        return values && Object.keys(values).length > 0 && <Values key={name} title={t.sections[name] ?? name} values={values} />;
      })}
      {message.Diagnostics !== undefined && <JsonBlock label={t.diagnostics} value={message.Diagnostics} />}
      <JsonBlock label={t.whole} value={message} />
    </>
  );
}
