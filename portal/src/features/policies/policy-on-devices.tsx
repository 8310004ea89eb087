/** What a policy sets, on how many devices, and where it could not be set or was changed by somebody and set again. */
import { Link } from 'react-router';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import type { PolicyItemKind, PolicyItemState } from '@cloudfit/contract/policies/choices.ts';
import { and, eq, or } from '@cloudfit/contract/query/build.ts';
import { policyItems, type policies } from '@cloudfit/contract/resources/policies.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { Chip } from '../../components/chips.tsx';
import { countText } from '../../components/count.ts';
import { useGroups, useList } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { exactTime } from '../../theme/times.ts';
import '../../entities/policy-state.css';
import { ColumnHeads } from '../../components/table/column-heads.tsx';

const t = policyTexts.onDevices;
const shownMax = 100;

interface ItemGroup {
  kind: PolicyItemKind;
  label: string;
  state: PolicyItemState;
  devices: number;
  again: number;
}

interface Thing {
  kind: PolicyItemKind;
  label: string;
  set: number;
  failed: number;
  again: number;
}

/** One line for each thing; the groups are by state too. */
function thingsOf(groups: readonly ItemGroup[]): Thing[] {
  const things = new Map<string, Thing>();
  for (const { kind, label, state, devices, again } of groups) {
    const key = `${kind} ${label}`;
    const thing = things.get(key) ?? { kind, label, set: 0, failed: 0, again: 0 };
    thing[state === 'Set' ? 'set' : 'failed'] += devices;
    thing.again += again;
    things.set(key, thing);
  }
  return [...things.values()].toSorted((a, b) => b.failed - a.failed || b.again - a.again || a.label.localeCompare(b.label));
}

const nameOf = (kind: PolicyItemKind, label: string) =>
  kind === 'Heartbeat' ? policyTexts.kinds[kind] : `${policyTexts.kinds[kind]} ${label}`;

export function PolicyOnDevices({ row: { policyId } }: { row: Row<typeof policies> }) {
  const { tenantId } = useScope();
  const here = and(eq(policyItems, 'policyId', policyId), tenantId ? eq(policyItems, 'tenantId', tenantId) : undefined) ?? '';
  const groups = useGroups<ItemGroup>(policyItems, {
    apply: `filter(${here})/groupby((kind,label,state),aggregate($count as devices,mended with sum as again))`,
    top: 1_000,
  });
  const differing = useList(policyItems, {
    filter: and(here, or(eq(policyItems, 'state', 'Failed'), 'mended gt 0')),
    expand: ['device'],
    orderBy: 'mendedOn desc',
    top: shownMax,
    count: true,
  });
  if (!groups.data || !differing.data) return <p className="faint">{policyTexts.preview.loading}</p>;
  const things = thingsOf(groups.data.rows);
  const { rows, count = rows.length } = differing.data;
  return (
    <div className="policy-state">
      <section>
        <h3>{t.things}</h3>
        {things.length === 0 ? (
          <p className="faint">{t.none}</p>
        ) : (
          <div className="policy-table">
            <table>
              <ColumnHeads names={[policyTexts.device.name, t.set, t.failed, t.again]} />
              <tbody>
                {things.map(({ kind, label, set, failed, again }) => (
                  <tr key={`${kind} ${label}`}>
                    <td>{nameOf(kind, label)}</td>
                    <td className="num">{countText(set)}</td>
                    <td className="num">{failed > 0 ? <Chip tone="warn">{countText(failed)}</Chip> : countText(0)}</td>
                    <td className="num">{countText(again)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      {rows.length > 0 && (
        <section>
          <h3>{t.differs}</h3>
          <ul>
            {rows.map(({ policyItemId, deviceId, tenantId: of, device, kind, label, state, detail, mended, mendedOn }) => (
              <li key={policyItemId}>
                <Link to={`/${of}/devices/${deviceId}?part=policies`}>{device?.name ?? '…'}</Link>
                {': '}
                {nameOf(kind, label)}
                {state === 'Failed' && <div className="faint">{`${policyTexts.device.failed}: ${detail ?? ''}`}</div>}
                {mended > 0 && mendedOn && <div className="faint">{t.mended(countText(mended), exactTime(mendedOn))}</div>}
              </li>
            ))}
          </ul>
          {count > rows.length && <p className="faint">{t.more(countText(count - rows.length))}</p>}
        </section>
      )}
    </div>
  );
}
