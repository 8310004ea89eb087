/** The handovers of a schedule: first the handover whose note is to be written, then past handovers. */
import { handoverTexts as t } from '@cloudfit/contract/messages/handover.en.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { HandoverCard } from '../../entities/on-call/handover-card.tsx';
import { useHandovers, type Handover } from '../../entities/on-call/use-handovers.ts';
import { zoneTime } from '../../theme/times.ts';

function stateOf({ completed, read, toName }: Handover): string {
  if (completed === null) return t.before;
  if (toName === null) return '';
  return read === null ? t.notRead : t.readAt(zoneTime(read));
}

export function HandoversTab({ row: { onCallScheduleId } }: { row: { onCallScheduleId: string } }) {
  return (
    <Loaded query={useHandovers(onCallScheduleId)} failed={t.failed} loading={<Skeleton width="80%" />}>
      {({ value }) =>
        value.length === 0 ? (
          <EmptyState small icon="phone" title={t.none} />
        ) : (
          <div className="body handovers">
            {value.map((item) => (
              <HandoverCard
                key={item.onCallHandoverId}
                handover={item}
                title={[item.completed === null ? item.fromName : t.of(item.fromName, item.toName), stateOf(item)]
                  .filter(Boolean)
                  .join(' · ')}
              />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}
