/** What a unit is linked to: one small grid per kind. */
import { useState } from 'react';
import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/floating.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useRelatedDevices, useRelatedMatches } from './use-related.ts';
import type { WorkUnit } from './work-unit.rules.ts';

const t = en.workUnits;

interface Entry {
  id: string;
  name: string;
  to?: string;
  value: string;
  date: string | null;
  raw: unknown;
}

const kinds: Record<string, string> = { RuleMatch: t.ruleMatch, Device: t.device };
const most = 100;

function RelatedGrid({ type, entries, onView }: { type: string; entries: readonly Entry[]; onView: (raw: unknown) => void }) {
  const label = kinds[type] ?? type;
  const sorted = entries.toSorted((a, b) => (b.date ?? '').localeCompare(a.date ?? '')).slice(0, most);
  return (
    <section className="form-section" aria-label={label}>
      <h3>{label}</h3>
      {sorted.length === 0 ? (
        <p className="muted">{t.noRelated(label)}</p>
      ) : (
        <div className="related">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{t.relatedName}</th>
                <th scope="col">{t.relatedValue}</th>
                <th scope="col">{t.relatedDate}</th>
                <th scope="col" className="end">
                  {en.common.actions}
                </th>
              </tr>
            </thead>
            <tbody>
              {sorted.map((entry) => (
                <tr key={entry.id}>
                  <td className="strong">{entry.to ? <Link to={entry.to}>{entry.name}</Link> : entry.name}</td>
                  <td className="soft">{entry.value}</td>
                  <td className="soft">
                    <RelativeTime value={entry.date} />
                  </td>
                  <td className="end">
                    <button type="button" className="link" aria-label={`${t.view} ${entry.name}`} onClick={() => onView(entry.raw)}>
                      {t.view}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

export function Related({ unit }: { unit: WorkUnit }) {
  const [raw, setRaw] = useState<unknown>();
  const { data: matches } = useRelatedMatches(unit);
  const { data: devices } = useRelatedDevices(unit);
  const relations = unit.relations ?? [];
  const types = [...new Set(relations.map((relation) => relation.referenceType))];
  if (types.length === 0) return <EmptyState small title={t.nothingRelated} />;
  const entriesOf = (type: string): Entry[] =>
    relations
      .filter((relation) => relation.referenceType === type)
      .map((relation) => {
        const id = relation.referenceId;
        const match = matches?.find((one) => one.ruleMatchId === id);
        if (match)
          return {
            id,
            name: match.rule?.name ?? match.label,
            to: `/${match.tenantId}/rules?id=${match.ruleId}&q=disabled`,
            value: en.matches.count(match.matchCount),
            date: match.created,
            raw: match,
          };
        const device = devices?.find((one) => one.deviceId === id);
        if (device)
          return {
            id,
            name: device.name,
            to: `/${device.tenantId}/devices?id=${device.deviceId}`,
            value: device.description ?? '',
            date: device.modified,
            raw: device,
          };
        return { id, name: id, value: '', date: null, raw: relation };
      });
  return (
    <>
      {types.map((type) => (
        <RelatedGrid key={type} type={type} entries={entriesOf(type)} onView={setRaw} />
      ))}
      {raw !== undefined && (
        <Dialog
          title={t.relationTitle}
          onClose={() => setRaw(undefined)}
          actions={
            <Button look="primary" onClick={() => setRaw(undefined)}>
              {en.common.close}
            </Button>
          }
        >
          <pre className="raw" tabIndex={0}>
            {JSON.stringify(raw, null, 2)}
          </pre>
        </Dialog>
      )}
    </>
  );
}
