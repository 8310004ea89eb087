import { handoverTexts as t } from '@cloudfit/contract/messages/handover.en.ts';
import { HandoverCard } from './handover-card.tsx';
import { useHandovers } from './use-handovers.ts';

/** On the home page: notes that the person has to write or to read. Renders nothing when there are none. */
export function MyHandovers() {
  const { data } = useHandovers();
  return data?.value.map((one) => (
    <HandoverCard
      key={one.onCallHandoverId}
      handover={one}
      title={one.isMine && one.completed !== null ? t.toRead(one.scheduleName, one.fromName) : t.toWrite(one.scheduleName)}
    />
  ));
}
