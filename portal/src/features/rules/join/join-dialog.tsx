/** Joins the copies of a rule into one rule of many, after it has said what single tenants keep as exceptions. */
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { joinRules, previewJoinedRules, restoreConfiguration } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleExceptionTexts } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { and, compare, eq } from '@cloudfit/contract/query/build.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { call, useCall } from '../../../api/call.ts';
import { failureText } from '../../../api/client.ts';
import { useMay, useTenants } from '../../../api/lookups.ts';
import { command, useCommand } from '../../../calls/command.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { Checkbox } from '../../../components/fields/checkbox.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { TextField } from '../../../components/fields/text-field.tsx';
import { Dialog } from '../../../components/overlay/floating.tsx';
import { toast } from '../../../components/toasts.tsx';
import { fetchPage, useList } from '../../../rows/use-rows.ts';
import type { Rule } from '../use-rules.ts';

const t = ruleExceptionTexts.join;
const shownFirst = 8;
const maxCopies = 500;
const undoMs = 20_000;
const refreshes = [rules.name, ruleExceptions.name];

const undo = command((changeSet: string) => call(restoreConfiguration, { changeSet, dryRun: false }), { done: () => t.undone, refreshes });

/** The rules of the same name in all tenants, and those of them that are to be joined. */
function useCopies({ name }: Rule) {
  const [without, setWithout] = useState<ReadonlySet<string>>(new Set());
  const { data: tenants = [] } = useTenants();
  const { data, error } = useList(rules, {
    filter: and(eq(rules, 'name', name), compare(rules, 'tenantId', 'ne', null)),
    orderBy: 'created asc',
    top: maxCopies,
  });
  const copies = (data?.rows ?? [])
    // Without those of disabled tenants, which the lookup does not have.
    .flatMap(({ ruleId, tenantId }) => tenants.filter((item) => item.tenantId === tenantId).map(({ name: tenant }) => ({ ruleId, tenant })))
    .toSorted((a, b) => a.tenant.localeCompare(b.tenant));
  const choose = (ruleId: string, isChosen: boolean) =>
    setWithout((before) => (isChosen ? new Set([...before].filter((id) => id !== ruleId)) : new Set([...before, ruleId])));
  return { copies, error, isRead: data !== undefined, without, choose };
}

export interface JoinDialogProps {
  rule: Rule;
  onClose: () => void;
}

export function JoinDialog({ rule, onClose }: JoinDialogProps) {
  const navigate = useNavigate();
  const may = useMay();
  const [name, setName] = useState(rule.name);
  const [groupId, setGroup] = useState<string>('');
  const { copies, error: notRead, isRead, without, choose } = useCopies(rule);
  const ruleIds = copies.flatMap(({ ruleId }) => (without.has(ruleId) ? [] : [ruleId]));
  const { data: groups = [] } = useQuery({
    queryKey: [tenantGroups.name, 'choices'],
    queryFn: async ({ signal }) => (await fetchPage(tenantGroups, { orderBy: 'name asc', top: 1_000 }, signal)).rows,
    enabled: may('Tenants', 'view'),
  });
  const input = { ruleIds, tenantGroupId: groupId === '' ? null : groupId };
  const mayJoin = ruleIds.length > 1;
  const { data, error: refused } = useCall(previewJoinedRules, input, {
    refreshedBy: rules.name,
    enabled: mayJoin,
    retry: false,
    quiet: true,
    meta: { live: false },
  });
  const error = notRead ?? refused;
  const { run, isBusy } = useCommand(() => call(joinRules, { ...input, name: name.trim() }, { creates: true }), { refreshes });
  const join = async () => {
    const joined = await run(undefined);
    if (!joined) return;
    const { ruleId, exceptions, changeSet } = joined.answer;
    toast.success(t.done(exceptions), { durationMs: undoMs, action: { label: t.undo, run: () => void undo(changeSet) } });
    onClose();
    await navigate(`/rules?id=${ruleId}`);
  };
  return (
    <Dialog
      title={t.title(ruleIds.length)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button look="primary" disabled={!mayJoin || !data || isBusy || name.trim() === ''} onClick={() => void join()}>
            {t.join}
          </Button>
        </>
      }
    >
      <p className="muted">{t.text}</p>
      <TextField label={rules.fields.name.label} required value={name} onChange={setName} />
      <Field label={rules.fields.tenantGroupId.label}>
        {(aria) => (
          <Select
            {...aria}
            value={groupId}
            none={t.all}
            choices={groups.map((group) => ({ value: group.tenantGroupId, label: group.name }))}
            onChange={setGroup}
          />
        )}
      </Field>
      {copies.length > 1 && (
        <details>
          <summary>{t.copies(ruleIds.length, copies.length)}</summary>
          {copies.map(({ ruleId, tenant }) => (
            <Checkbox key={ruleId} label={tenant} checked={!without.has(ruleId)} onChange={(isChosen) => choose(ruleId, isChosen)} />
          ))}
        </details>
      )}
      <div role="status">
        {error ? (
          <p className="error">{failureText(error)}</p>
        ) : isRead && !mayJoin ? (
          <p>{t.noCopies}</p>
        ) : data ? (
          <>
            <p>{data.conditions}</p>
            <ul>
              {data.differences.slice(0, shownFirst).map(({ tenantId, tenantName, isOff, differs }) => (
                <li key={tenantId}>
                  {tenantName}: {isOff ? ruleExceptionTexts.isOff : differs.join(', ')}
                </li>
              ))}
              {data.differences.length > shownFirst && <li>{t.more(data.differences.length - shownFirst)}</li>}
              {data.leftOut > 0 && <li>{t.leftOut(data.leftOut)}</li>}
            </ul>
          </>
        ) : (
          <p className="faint">{t.comparing}</p>
        )}
      </div>
    </Dialog>
  );
}
