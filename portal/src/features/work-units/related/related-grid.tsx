import { Link } from 'react-router';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { IconButton } from '../../../components/button.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import type { RelatedEntry } from './related-entries.ts';

const t = workUnitTexts;
const texts = workUnitPanelTexts.related;

interface RelatedGridProps {
  label: string;
  entries: readonly RelatedEntry[];
  onView: (entry: RelatedEntry) => void;
  /** Removes the link; undefined when the person may not. */
  onUnlink?: ((entry: RelatedEntry) => void) | undefined;
}

/** All linked rows of one kind. */
export function RelatedGrid({ label, entries, onView, onUnlink }: RelatedGridProps) {
  if (entries.length === 0) return <p className="muted">{t.noRelated(label)}</p>;
  return (
    <div className="related">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t.relatedName}</th>
            <th scope="col">{t.relatedValue}</th>
            <th scope="col">{t.relatedDate}</th>
            <th scope="col" className="end">
              {texts.action}
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.relationId}>
              <td className="strong">{entry.to ? <Link to={entry.to}>{entry.name}</Link> : entry.name}</td>
              <td className="soft">{entry.value}</td>
              <td className="soft">
                <RelativeTime plain value={entry.date} />
              </td>
              <td className="end">
                <span>
                  <button type="button" className="link" aria-label={texts.viewOf(entry.name)} onClick={() => onView(entry)}>
                    {t.view}
                  </button>
                  {onUnlink && <IconButton small icon="close" label={texts.unlinkOf(entry.name)} onClick={() => onUnlink(entry)} />}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
