/** One entry of the audit: who, when, from where, and the row before and after side by side. */
import { useState } from 'react';
import { nameConfiguration } from '@cloudfit/contract/calls.ts';
import { differenceLines, guidsIn, withNames } from '@cloudfit/contract/configuration/differences.ts';
import { auditTexts as t } from '@cloudfit/contract/messages/audit.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { useCall } from '../../api/call.ts';
import { usePersonName } from '../../api/people-names.ts';
import { Button } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { exactTime } from '../../theme/times.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { valueText } from '../../rows/cells.tsx';
import { differencesOf, linesOf, type AuditRow, type AuditSearch, type FieldDifference } from './audit-query.ts';
import { referencesOf, useReferenceNames, type ReferenceNames } from './reference-names.ts';
import { Restore } from './restore.tsx';
import { ColumnHeads } from '../../components/table/column-heads.tsx';

export const verbText = (verb: string) => t.verbs[verb] ?? verb;
export const entityText = (entity: string) => findResource(entity)?.label ?? t.entities[entity] ?? entity;

/**
 * Returns the value of one side as text. Of a list, an object, or JSON in a text it returns only the lines that differ, with names in place
 * of ids; all lines if nothing differs.
 */
function wordsOf(
  resource: Resource | undefined,
  { name, before, after }: Pick<FieldDifference, 'name' | 'before' | 'after'>,
  side: 'before' | 'after',
  { names, inner }: { names: ReferenceNames; inner: Readonly<Record<string, string>> },
): string {
  const value = side === 'before' ? before : after;
  if (value === undefined || value === null || value === '') return en.common.none;
  const lines = differenceLines(before, after);
  if (typeof value === 'object' || lines.some(({ path }) => path !== '')) {
    const ofSide = lines.flatMap(({ path, ...line }) =>
      line[side] === undefined ? [] : [path === '' ? line[side] : `${path}: ${line[side]}`],
    );
    return withNames((lines.length === 0 ? linesOf(value) : ofSide).join('\n'), inner) || en.common.none;
  }
  const ref = resource?.fields[name]?.ref;
  const title = ref && names(ref, value);
  return title ?? (resource?.fields[name] ? valueText(resource, name, { [name]: value }) : String(value));
}

/** The names of the ids within lists and objects. */
function useInnerNames(resource: Resource | undefined, differences: readonly FieldDifference[]): Readonly<Record<string, string>> {
  const ids = guidsIn(
    differences.filter(({ name }) => !resource?.fields[name]?.ref && name !== resource?.key).map(({ before, after }) => [before, after]),
  );
  const { data } = useCall(nameConfiguration, { ids: ids.slice(0, 500) }, { enabled: ids.length > 0, retry: false });
  return data?.names ?? {};
}

function Differences({ entry }: { entry: AuditRow }) {
  const [isAll, setAll] = useState(false);
  const all = differencesOf(entry);
  const changed = all.filter(({ isChanged }) => isChanged);
  const unchanged = all.length - changed.length;
  const resource = findResource(entry.entity);
  const shown = isAll ? all : changed;
  const names = useReferenceNames(referencesOf(resource, shown));
  const inner = useInnerNames(resource, shown);
  if (all.length === 0) return <p className="muted">{t.noValues}</p>;
  return (
    <>
      <table className="audit-differences">
        <ColumnHeads names={[t.field, t.before, t.after]} />
        <tbody>
          {shown.map((difference) => (
            <tr key={difference.name} className={difference.isChanged ? 'changed' : undefined}>
              <th scope="row">{resource?.fields[difference.name]?.label ?? difference.name}</th>
              <td data-label={t.before}>{wordsOf(resource, difference, 'before', { names, inner })}</td>
              <td data-label={t.after}>{wordsOf(resource, difference, 'after', { names, inner })}</td>
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
        <Restore key={entry.auditId} entry={entry} />
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
