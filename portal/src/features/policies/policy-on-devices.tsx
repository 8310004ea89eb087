/** What a policy sets, on how many devices, and where it could not be set or was changed by somebody and set again. */
import { Link } from 'react-router';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import { policyCareTexts } from '@cloudfit/contract/messages/policy-care.en.ts';
import type { PolicyItemKind, PolicyItemState } from '@cloudfit/contract/policies/choices.ts';
import { and, eq, or } from '@cloudfit/contract/query/build.ts';
import { policyItems, type policies } from '@cloudfit/contract/resources/policies.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { mendPolicy } from '@cloudfit/contract/calls.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { useCommand } from '../../calls/command.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { countText } from '../../components/count.ts';
import { useGroups, useList } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { exactTime } from '../../theme/times.ts';
import { PolicyExceptions } from './policy-exceptions.tsx';
import '../../entities/policy-state.css';
import { ColumnHeads } from '../../components/table/column-heads.tsx';
import './policies.css';

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
    // A device that has left is none of the policy any more.
    if (state === 'Kept') continue;
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

interface KeptItem {
  deviceId: string;
  tenantId: string;
  label: string;
  kind: PolicyItemKind;
  since: string;
  device?: { name: string } | null;
}

/** The devices that have left and keep what the policy has set, the last ones first. */
function Left({ items }: { items: readonly KeptItem[] }) {
  if (items.length === 0) return null;
  const devices = Map.groupBy(items, ({ deviceId }) => deviceId);
  return (
    <section>
      <h3>{policyCareTexts.left.title}</h3>
      <ul className="policy-lines">
        {[...devices].map(([deviceId, [first, ...rest]]) => {
          if (!first) return null;
          const things = [first, ...rest].map(({ kind, label }) => nameOf(kind, label)).join(', ');
          return (
            <li key={deviceId}>
              <div className="grow">
                <Link to={`/${first.tenantId}/devices/${deviceId}?part=policies`}>{first.device?.name ?? '…'}</Link>{' '}
                {policyCareTexts.left.line(exactTime(first.since), things)}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

export function PolicyOnDevices({ row }: { row: Row<typeof policies> }) {
  const { policyId } = row;
  const { tenantId } = useScope();
  const may = useMay();
  const mend = useCommand((deviceId: string | null) => call(mendPolicy, { id: policyId, deviceId }), {
    done: ({ devices }) => policyCareTexts.mend.done(countText(devices)),
    about: row,
    refreshes: [policyItems.name],
  });
  const here = and(eq(policyItems, 'policyId', policyId), tenantId ? eq(policyItems, 'tenantId', tenantId) : undefined) ?? '';
  const groups = useGroups<ItemGroup>(policyItems, {
    apply: `filter(${here})/groupby((kind,label,state),aggregate($count as devices,mended with sum as again))`,
    top: 1_000,
  });
  const differing = useList(policyItems, {
    filter: and(here, or(eq(policyItems, 'state', 'Failed'), and(eq(policyItems, 'state', 'Set'), 'mended gt 0'))),
    expand: ['device'],
    orderBy: 'mendedOn desc',
    top: shownMax,
    count: true,
  });
  const left = useList(policyItems, {
    filter: and(here, eq(policyItems, 'state', 'Kept')),
    expand: ['device'],
    orderBy: 'since desc',
    top: shownMax,
  });
  if (!groups.data || !differing.data) return <p className="faint">{policyTexts.preview.loading}</p>;
  const things = thingsOf(groups.data.rows);
  const { rows, count = rows.length } = differing.data;
  return (
    <div className="policy-state">
      <section>
        <div className="row policy-heading">
          <h3 className="grow">{t.things}</h3>
          {may(policyItems.area, 'edit') && (
            <Button small icon="refresh" title={policyCareTexts.mend.allHelp} disabled={mend.isBusy} onClick={() => void mend.run(null)}>
              {policyCareTexts.mend.all}
            </Button>
          )}
        </div>
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
          <ul className="policy-lines">
            {rows.map(({ policyItemId, deviceId, tenantId: of, device, kind, label, state, detail, mended, mendedOn }) => (
              <li key={policyItemId}>
                <div className="grow">
                  <Link to={`/${of}/devices/${deviceId}?part=policies`}>{device?.name ?? '…'}</Link>
                  {': '}
                  {nameOf(kind, label)}
                  {state === 'Failed' && <div className="faint">{`${policyTexts.device.failed}: ${detail ?? ''}`}</div>}
                  {mended > 0 && mendedOn && <div className="faint">{t.mended(countText(mended), exactTime(mendedOn))}</div>}
                </div>
                {may(policyItems.area, 'edit') && (
                  <IconButton
                    small
                    icon="refresh"
                    label={policyCareTexts.mend.one(device?.name ?? '')}
                    disabled={mend.isBusy}
                    onClick={() => void mend.run(deviceId)}
                  />
                )}
              </li>
            ))}
          </ul>
          {count > rows.length && <p className="faint">{t.more(countText(count - rows.length))}</p>}
        </section>
      )}
      <PolicyExceptions policy={row} />
      <Left items={left.data?.rows ?? []} />
    </div>
  );
}
