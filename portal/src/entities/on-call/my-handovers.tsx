import { handoverTexts as t } from '@cloudfit/contract/messages/handover.en.ts';
import { HandoverCard } from './handover-card.tsx';
import { useHandovers } from './use-handovers.ts';

/** On the home page: notes that the person has to write or to read. Renders nothing when there are none. */
export function MyHandovers() {
  const { data } = useHandovers();
  return data?.value.map((item) => (
    <HandoverCard
      key={item.onCallHandoverId}
      handover={item}
      title={item.isMine && item.completed !== null ? t.toRead(item.scheduleName, item.fromName) : t.toWrite(item.scheduleName)}
    />
  ));
}
