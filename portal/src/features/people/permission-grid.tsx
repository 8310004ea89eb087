/** The permissions of a set as a grid of areas and verbs, with the difference to another set. */
import { useState, type KeyboardEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { permissionSetTexts as t } from '@cloudfit/contract/messages/people.en.ts';
import {
  areas,
  overrideApproval,
  permission,
  permissionVerbs,
  runOperations,
  viewAudit,
  viewMine,
  type Permission,
} from '@cloudfit/contract/permissions.ts';
import { permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import { usePermissions } from '../../api/lookups.ts';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { fetchPage } from '../../rows/use-rows.ts';
import { useHolders } from './set-holders.tsx';
import './permission-grid.css';

const others = [
  [viewMine, t.ownRequests],
  [overrideApproval, t.override],
  [viewAudit, t.viewAudit],
  [runOperations, t.runOperations],
] as const;

/** The area `WorkUnits.Types` in words for people. */
export const areaName = (area: string) => area.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replace('.', ': ');

/** Arrow keys move between the checkboxes of the grid. */
function walk(event: KeyboardEvent<HTMLTableElement>) {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  const cell = (event.target as HTMLElement).closest('td');
  if (!step || !cell) return;
  event.preventDefault();
  const [down = 0, right = 0] = step;
  const row = cell.parentElement as HTMLTableRowElement;
  const next = event.currentTarget.rows[row.rowIndex + down]?.cells[cell.cellIndex + right];
  next?.querySelector('input')?.focus();
}

interface Comparison {
  name: string;
  permissions: ReadonlySet<string>;
}

/** The other sets, and the set that was chosen for comparison; by default the saved state. */
function useComparison(saved: ReadonlySet<string> | undefined, setId: string | undefined) {
  const [chosen, choose] = useState('');
  const { data } = useQuery({
    queryKey: [permissionSets.name, 'compare'],
    queryFn: ({ signal }) => fetchPage(permissionSets, { orderBy: 'name asc', top: 100 }, signal),
  });
  const sets = (data?.rows ?? []).filter((set) => set.permissionSetId !== setId);
  const set = sets.find((set) => set.permissionSetId === chosen);
  const comparison: Comparison | undefined = set
    ? { name: set.name, permissions: new Set(set.permissions) }
    : saved && { name: t.saved, permissions: saved };
  return { sets, chosen, choose, comparison };
}

/** The effect of saving for the people who have the set. */
function Effect({ id, added, removed }: { id: string; added: number; removed: number }) {
  const { data } = useHolders(id);
  if (added + removed === 0 || !data) return null;
  return (
    <p className="notice" role="status">
      {t.effect(added, removed, data.people)}
    </p>
  );
}

export function PermissionGrid({ field, value, onChange, onBlur, disabled, aria, row }: InputProps<typeof permissionSets>) {
  const chosen = new Set(Array.isArray(value) ? (value as string[]) : []);
  const savedSet = row && new Set(row.permissions as string[]);
  const { data: mine } = usePermissions();
  const { sets, chosen: compared, choose, comparison } = useComparison(savedSet, row?.permissionSetId);
  const all = [...areas.flatMap((area) => permissionVerbs.map((verb) => permission(area, verb))), ...others.map(([one]) => one)];
  const mayChange = (permission: Permission) => !disabled && (mine?.has(permission) ?? false);
  const put = (target: readonly Permission[], on: boolean) => {
    const changed = new Set(target.filter(mayChange));
    onChange(all.filter((item) => (changed.has(item) ? on : chosen.has(item))));
  };
  const hasAll = (some: readonly Permission[]) => some.every((item) => chosen.has(item));
  const box = (item: Permission, label: string) => {
    const difference =
      comparison && chosen.has(item) !== comparison.permissions.has(item) ? (chosen.has(item) ? 'more' : 'less') : undefined;
    return (
      <span className={difference ? `permission ${difference}` : 'permission'}>
        <input
          type="checkbox"
          aria-label={difference ? `${label} (${t[difference]})` : label}
          title={disabled || mayChange(item) ? undefined : t.beyond}
          disabled={!mayChange(item)}
          checked={chosen.has(item)}
          onBlur={onBlur}
          onChange={(event) => put([item], event.target.checked)}
        />
        {difference && <i aria-hidden>{difference === 'more' ? '+' : '−'}</i>}
      </span>
    );
  };
  const whole = (some: readonly Permission[], text: string, label: string) =>
    disabled ? (
      text
    ) : (
      <button type="button" className="link" aria-label={label} onClick={() => put(some, !hasAll(some))}>
        {text}
      </button>
    );
  const count = (in1: ReadonlySet<string>, in2: ReadonlySet<string>) => [...in1].filter((item) => !in2.has(item)).length;
  return (
    <div className="permission-grid" id={aria.id} role="group" aria-label={field.label} aria-describedby={aria['aria-describedby']}>
      <Field label={t.compare}>
        {(selectAria) => (
          <Select
            {...selectAria}
            value={compared}
            none={savedSet ? t.saved : t.none}
            choices={sets.map((set) => ({ value: set.permissionSetId, label: set.name }))}
            onChange={choose}
          />
        )}
      </Field>
      {comparison && (
        <p className="faint" role="status">
          {t.difference(count(chosen, comparison.permissions), count(comparison.permissions, chosen), comparison.name)}
        </p>
      )}
      {savedSet && row && <Effect id={row.permissionSetId} added={count(chosen, savedSet)} removed={count(savedSet, chosen)} />}
      <table onKeyDown={walk}>
        <thead>
          <tr>
            <th scope="col">{t.area}</th>
            {permissionVerbs.map((verb) => (
              <th key={verb} scope="col">
                {whole(
                  areas.map((area) => permission(area, verb)),
                  t.verbs[verb],
                  t.wholeVerb(t.verbs[verb]),
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {areas.map((area) => (
            <tr key={area}>
              <th scope="row">
                {whole(
                  permissionVerbs.map((verb) => permission(area, verb)),
                  areaName(area),
                  t.wholeArea(areaName(area)),
                )}
              </th>
              {permissionVerbs.map((verb) => (
                <td key={verb}>{box(permission(area, verb), t.cell(t.verbs[verb], areaName(area)))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <h4>{t.othersTitle}</h4>
      {others.map(([one, label]) => (
        <label key={one} className="row">
          {box(one, label)}
          {label}
        </label>
      ))}
    </div>
  );
}
