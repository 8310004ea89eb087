/** Where a secret may be used: the hosts that may receive it, and the actions that may send it. */
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { useMay } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { useChoices } from '../../rows/choices.ts';
import { fetchPage } from '../../rows/use-rows.ts';
import { SecretField } from './secret-field.tsx';
import type { SecretDraft } from './use-secrets.ts';

/** Names of actions by id; a deleted action, or one that the person may not see, shows its id. */
export function useActionNames(ids: readonly string[]): (id: string) => string {
  const may = useMay();
  const { data } = useQuery({
    queryKey: [actionDefinitions.name, 'names', ids.toSorted().join()],
    queryFn: ({ signal }) =>
      fetchPage(actionDefinitions, { filter: oneOf(actionDefinitions, 'actionDefinitionId', ids), orderBy: 'name asc', top: 100 }, signal),
    enabled: ids.length > 0 && may('ActionDefinitions', 'view'),
    staleTime: 60_000,
  });
  return (id) => {
    const name = data?.rows.find((row) => row.actionDefinitionId === id)?.name;
    return name ?? id;
  };
}

interface SecretPolicyProps {
  tenantId: string;
  draft: SecretDraft;
  error: string | undefined;
  onDraft: (draft: SecretDraft) => void;
}

export function SecretPolicy({ tenantId, draft, error, onDraft }: SecretPolicyProps) {
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState(false);
  const { choices, isLoading } = useChoices(actionDefinitions.name, { search, tenantId, enabled: opened });
  const nameOf = useActionNames(draft.allowedActions);
  const setActions = (allowedActions: string[]) => onDraft({ ...draft, allowedActions });
  return (
    <>
      <SecretField
        label={t.allowedHosts}
        help={t.allowedHostsHelp}
        error={error}
        maxLength={2_000}
        value={draft.allowedHosts}
        onChange={(allowedHosts) => onDraft({ ...draft, allowedHosts })}
      />
      <Field label={t.allowedActions} help={t.allowedActionsHelp}>
        {(aria) => (
          <ComboBox
            key={draft.allowedActions.length}
            filtered
            choices={choices.filter(({ value }) => !draft.allowedActions.includes(String(value)))}
            value={null}
            loading={isLoading}
            aria={aria}
            onOpen={() => setOpened(true)}
            onType={setSearch}
            onChange={(choice) => choice && setActions([...draft.allowedActions, String(choice.value)])}
          />
        )}
      </Field>
      {draft.allowedActions.length > 0 && (
        <ul className="secret-actions">
          {draft.allowedActions.map((id) => (
            <li key={id}>
              <span className="ellipsis">{nameOf(id)}</span>
              <IconButton
                small
                icon="trash"
                label={t.removeAction(nameOf(id))}
                onClick={() => setActions(draft.allowedActions.filter((allowedAction) => allowedAction !== id))}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
