/** Compares the plan of a change with what packets, matches and installations of its devices show. */
import { Link } from 'react-router';
import { changeReview } from '@cloudfit/contract/calls.ts';
import type { ChangeReview as ReviewedChange } from '@cloudfit/contract/maintenance/calls.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { changeTexts as t } from '@cloudfit/contract/messages/changes.en.ts';
import { maintenanceTexts } from '@cloudfit/contract/messages/maintenance.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useCall } from '../../../api/call.ts';
import { Chip } from '../../../components/chips.tsx';
import { useNow } from '../../../components/relative-time.tsx';
import { clockTime } from '../../../theme/times.ts';
import { MaintainButton } from '../../../entities/maintenance/maintain-button.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { ColumnHeads } from '../../../components/table/column-heads.tsx';
import './changes.css';

type ReviewedDevice = ReviewedChange['devices'][number];

const timesOf = (from: string | null, until: string | null, missing: string) =>
  from ? t.times(clockTime(from), until ? clockTime(until) : t.running) : missing;

function Reports({ reports }: Pick<ReviewedDevice, 'reports'>) {
  if (reports === null) return <span className="faint">{t.notYet}</span>;
  return <Chip tone={reports ? 'ok' : 'danger'}>{reports ? t.reports : t.silent}</Chip>;
}

function DeviceLine({ device, tenantId }: { device: ReviewedDevice; tenantId: string }) {
  const { deviceId, name, before, during, unexpected, after, open, reports, versions } = device;
  return (
    <tr>
      <th scope="row">
        <Link to={`/${tenantId}/devices/${deviceId}`}>{name}</Link>
      </th>
      <td className="num">{before}</td>
      <td className="num">{during}</td>
      <td className="num">{unexpected > 0 ? <Chip tone="warn">{unexpected}</Chip> : 0}</td>
      <td className="num">{after}</td>
      <td className="num">{open > 0 ? <Chip tone="warn">{open}</Chip> : 0}</td>
      <td>
        <Reports reports={reports} />
      </td>
      <td>{versions.map((version) => `${version.package} ${version.version ?? ''} ${version.status}`.trim()).join(', ')}</td>
    </tr>
  );
}

/** The review of a change of devices, shown from its planned start on. */
export function ChangeReview({ unit }: { unit: PanelWorkUnit }) {
  const { workUnitId, tenantId, plannedStartTime, publicWorkUnitId } = unit;
  // The row of the list, which is shown until the unit has loaded, has fewer fields.
  const { affectedDevices = [] } = unit as Partial<PanelWorkUnit>;
  const now = useNow();
  const isChange = unit.workUnitTypeId === workUnitType.changeRequest && affectedDevices.length > 0;
  const hasBegun = isChange && plannedStartTime !== null && Date.parse(plannedStartTime) <= now;
  const { data } = useCall(
    changeReview,
    { workUnitId },
    { refreshedBy: workUnits.name, together: true, enabled: hasBegun, refetchInterval: 60_000 },
  );
  if (!isChange) return null;
  const { columns } = t;
  return (
    <section className="change-review" aria-label={t.review}>
      <div className="row">
        <b className="grow">{t.review}</b>
        <MaintainButton
          look="small"
          target={{ tenantId, deviceIds: affectedDevices, workUnitId }}
          what={`#${publicWorkUnitId}, ${maintenanceTexts.devices(affectedDevices.length)}`}
        />
      </div>
      {data && (
        <>
          <p className="muted">
            {t.planned}: {timesOf(data.plannedStart, data.plannedFinish, t.notStarted)} · {t.actual}:{' '}
            {timesOf(data.actualStart, data.actualFinish, t.notStarted)}
          </p>
          <div className="review-scroll" tabIndex={0} role="group" aria-label={t.review}>
            <table title={t.matchesHint}>
              <ColumnHeads
                names={[
                  columns.device,
                  columns.before,
                  columns.during,
                  columns.unexpected,
                  columns.after,
                  columns.open,
                  columns.reports,
                  columns.versions,
                ]}
              />
              <tbody>
                {data.devices.map((device) => (
                  <DeviceLine key={device.deviceId} device={device} tenantId={tenantId} />
                ))}
              </tbody>
            </table>
          </div>
          {data.leftOut > 0 && <p className="faint">{t.leftOut(data.leftOut)}</p>}
        </>
      )}
    </section>
  );
}
