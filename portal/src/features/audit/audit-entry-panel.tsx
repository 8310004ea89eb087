/** One entry of the audit: who, when, from where, and the row before and after side by side. */
import { useState } from 'react';
import { auditTexts as t } from '@cloudfit/contract/messages/audit.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { usePersonName } from '../../api/people-names.ts';
import { Button } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { exactTime } from '../../theme/times.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { valueText } from '../../rows/cells.tsx';
import { differencesOf, linesOf, type AuditRow, type AuditSearch } from './audit-query.ts';
import { referencesOf, useReferenceNames, type ReferenceNames } from './reference-names.ts';

export const verbText = (verb: string) => t.verbs[verb] ?? verb;
export const entityText = (entity: string) => findResource(entity)?.label ?? t.entities[entity] ?? entity;

/**
 * Returns a value as text. Of a list or an object, it returns only the lines that `other`, the value on the other side, does
 * not have, or all lines if there are none.
 */
function wordsOf(resource: Resource | undefined, name: string, value: unknown, other: unknown, names: ReferenceNames): string {
  if (value === undefined || value === null || value === '') return en.common.none;
  if (typeof value === 'object') {
    const others = new Set(linesOf(other));
    const lines = linesOf(value);
    const differing = lines.filter((line) => !others.has(line));
    return (differing.length > 0 ? differing : lines).join('\n') || en.common.none;
  }
  const ref = resource?.fields[name]?.ref;
  const title = ref && names(ref, value);
  return title ?? (resource?.fields[name] ? valueText(resource, name, { [name]: value }) : String(value));
}

function Differences({ entry }: { entry: AuditRow }) {
  const [isAll, setAll] = useState(false);
  const all = differencesOf(entry);
  const changed = all.filter(({ isChanged }) => isChanged);
  const unchanged = all.length - changed.length;
  const resource = findResource(entry.entity);
  const names = useReferenceNames(referencesOf(resource, isAll ? all : changed));
  if (all.length === 0) return <p className="muted">{t.noValues}</p>;
  return (
    <>
      <table className="audit-differences">
        <thead>
          <tr>
            <th scope="col">{t.field}</th>
            <th scope="col">{t.before}</th>
            <th scope="col">{t.after}</th>
          </tr>
        </thead>
        <tbody>
          {(isAll ? all : changed).map(({ name, before, after, isChanged }) => (
            <tr key={name} className={isChanged ? 'changed' : undefined}>
              <th scope="row">{resource?.fields[name]?.label ?? name}</th>
              <td data-label={t.before}>{wordsOf(resource, name, before, after, names)}</td>
              <td data-label={t.after}>{wordsOf(resource, name, after, before, names)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {unchanged > 0 && (
        <Button small aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? t.hideUnchanged : t.unchanged(unchanged)}
        </Button>
      )}
    </>
  );
}

interface AuditEntryPanelProps {
  entry: AuditRow;
  onSearch: (search: AuditSearch) => void;
  onClose: () => void;
}

export function AuditEntryPanel({ entry, onSearch, onClose }: AuditEntryPanelProps) {
  const nameOf = usePersonName();
  const { actorName, actorKind, entity, entityId, verb, at, address, correlationId } = entry;
  const who = actorKind === 'person' ? nameOf(actorName) : actorName;
  return (
    <SidePanel
      title={t.panel(verbText(verb), entityText(entity))}
      meta={<CopyId id={entityId} label={t.row} />}
      wide
      onClose={onClose}
      footer={<Button onClick={onClose}>{en.common.close}</Button>}
    >
      <div className="body">
        <dl className="form-grid facts audit-facts">
          <div>
            <dt>{t.who}</dt>
            <dd>{who === actorName ? who : `${who} (${actorName})`}</dd>
          </div>
          <div>
            <dt>{t.when}</dt>
            <dd>{exactTime(at)}</dd>
          </div>
          {address && (
            <div>
              <dt>{t.address}</dt>
              <dd>{address}</dd>
            </div>
          )}
        </dl>
        <Differences entry={entry} />
        <p className="row audit-more">
          <Button small onClick={() => onSearch({ entity, row: entityId })}>
            {t.ofRow}
          </Button>
          <Button small onClick={() => onSearch({ request: correlationId })}>
            {t.ofCorrelation}
          </Button>
          <Button small onClick={() => onSearch({ who: actorName })}>
            {t.ofActor(who)}
          </Button>
        </p>
      </div>
    </SidePanel>
  );
}
