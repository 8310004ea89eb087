/** Joins selected copies of a rule into one rule of many, after it has said what single tenants keep as exceptions. */
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { joinRules, previewJoinedRules } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleExceptionTexts } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { call, useCall } from '../../../api/call.ts';
import { failureText } from '../../../api/client.ts';
import { useMay } from '../../../api/lookups.ts';
import { useCommand } from '../../../calls/command.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { TextField } from '../../../components/fields/text-field.tsx';
import { Dialog } from '../../../components/overlay/floating.tsx';
import { fetchPage } from '../../../rows/use-rows.ts';

const t = ruleExceptionTexts.join;
const shownFirst = 8;

export interface JoinDialogProps {
  ruleIds: readonly string[];
  onClose: () => void;
}

export function JoinDialog({ ruleIds, onClose }: JoinDialogProps) {
  const navigate = useNavigate();
  const may = useMay();
  const [named, setName] = useState<string>();
  const [groupId, setGroup] = useState<string>('');
  const { data: groups = [] } = useQuery({
    queryKey: [tenantGroups.name, 'choices'],
    queryFn: async ({ signal }) => (await fetchPage(tenantGroups, { orderBy: 'name asc', top: 1_000 }, signal)).rows,
    enabled: may('Tenants', 'view'),
  });
  const input = { ruleIds: [...ruleIds], tenantGroupId: groupId === '' ? null : groupId };
  const { data, error } = useCall(previewJoinedRules, input, { refreshedBy: rules.name, retry: false, quiet: true, meta: { live: false } });
  const name = named ?? data?.name ?? '';
  const { run, isBusy } = useCommand(() => call(joinRules, { ...input, name: name.trim() }, { creates: true }), {
    done: ({ exceptions }) => t.done(exceptions),
    refreshes: [rules.name, ruleExceptions.name],
  });
  const join = async () => {
    const joined = await run(undefined);
    if (!joined) return;
    onClose();
    await navigate(`/rules?id=${joined.answer.ruleId}`);
  };
  return (
    <Dialog
      title={t.title(ruleIds.length)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button look="primary" disabled={!data || isBusy || name.trim() === ''} onClick={() => void join()}>
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
      <div role="status">
        {error ? (
          <p className="error">{failureText(error)}</p>
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
