/** The place of the unit in the list from which it was opened, with the ways to the previous and the next one. */
import { unitVerbTexts as t } from '@cloudfit/contract/messages/unit-verbs.en.ts';
import { IconButton } from '../../../components/button.tsx';
import { countText, listCountText } from '../../../components/count.ts';
import { runPageKey } from '../../../hooks/page-commands.ts';
import { useListPlace } from './list-place.ts';

export function PlaceInList({ id }: { id: number }) {
  const place = useListPlace(id);
  if (!place) return null;
  const [at, of, before, after] = place;
  return (
    <span className="place-in-list">
      <span className="muted">{t.place(countText(at), listCountText(of))}</span>
      <IconButton small icon="left" label={t.previous} aria-keyshortcuts="k" disabled={before === 0} onClick={() => void runPageKey('k')} />
      <IconButton small icon="right" label={t.next} aria-keyshortcuts="j" disabled={after === 0} onClick={() => void runPageKey('j')} />
    </span>
  );
}
