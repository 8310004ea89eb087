/** The groups of a directory, and the rights that each gives to its people. */
import { useState, type SyntheticEvent } from 'react';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { groupsOfDirectory } from '@cloudfit/contract/calls.ts';
import { accessTexts } from '@cloudfit/contract/messages/access.en.ts';
import { directoryTexts as t } from '@cloudfit/contract/messages/directories.en.ts';
import { groupOfDirectory } from '@cloudfit/contract/resources/directories.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { useCall } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';
import { createRow, removeRow } from '../../../api/row-calls.ts';
import { command, useCommand } from '../../../calls/command.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { TextField } from '../../../components/fields/text-field.tsx';
import { decimalText } from '../../../theme/times.ts';
import { allTenants, ChooseSet, ChooseTenant, tenantOf } from '../choose-set.tsx';
import type { Directory } from './directory-row.ts';

type Groups = CallOutput<typeof groupsOfDirectory>['value'];
type GroupGrant = Groups[number]['grants'][number];

const refreshes = [grants.name];

const placeOf = ({ tenantId, tenantName }: GroupGrant): string => (tenantId === null ? t.everyTenant : (tenantName ?? tenantId));

const end = command(({ grant }: { grant: GroupGrant; group: string }) => removeRow(grants, grant.grantId, { quiet: true }), {
  confirm: ({ grant, group }) => ({
    title: accessTexts.endTitle,
    text: accessTexts.endQuestion(accessTexts.group(group), grant.permissionSet, placeOf(grant)),
    yes: accessTexts.end,
    danger: true,
  }),
  done: (_, { grant }) => accessTexts.ended(grant.permissionSet, placeOf(grant)),
  failed: accessTexts.endFailed,
  refreshes,
});

function GroupLine({ group, people, grants: ofGroup, mayEnd }: Groups[number] & { mayEnd: boolean }) {
  return (
    <li>
      <span className="what">
        <strong>{group}</strong> <small>{people === 1 ? t.onePerson : t.people(decimalText(people, 0))}</small>
        {ofGroup.length === 0 && <span className="faint">{t.noGrant}</span>}
      </span>
      {ofGroup.map((grant) => (
        <span key={grant.grantId} className="instead row">
          <span className="grow">{t.inTenant(grant.permissionSet, placeOf(grant))}</span>
          {mayEnd && (
            <Button
              small
              look="danger"
              aria-label={accessTexts.endOf(grant.permissionSet, placeOf(grant))}
              onClick={() => void end({ grant, group })}
            >
              {accessTexts.end}
            </Button>
          )}
        </span>
      ))}
    </li>
  );
}

function GiveToGroup({ directory, groups }: { directory: Directory; groups: Groups }) {
  const firstPlace = directory.allTenants ? allTenants : (directory.tenantIds[0] ?? '');
  const [group, setGroup] = useState(groups[0]?.group ?? '');
  const [typed, setTyped] = useState('');
  const [place, setPlace] = useState(firstPlace);
  const [set, setSet] = useState({ id: '', name: '' });
  const [isTried, setTried] = useState(false);
  const chosen = group === '' ? typed.trim() : group;
  const { run, isBusy } = useCommand(
    () =>
      createRow(
        grants,
        { claim: groupOfDirectory(directory.prefix, chosen), tenantId: tenantOf(place), permissionSetId: set.id },
        { quiet: true },
      ),
    { done: () => accessTexts.granted(accessTexts.group(chosen), set.name), failed: accessTexts.giveFailed, refreshes },
  );
  const give = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    if (chosen === '' || set.id === '' || !(await run(undefined))) return;
    setSet({ id: '', name: '' });
    setTyped('');
    setTried(false);
  };
  return (
    <form className="give-access" noValidate onSubmit={(event) => void give(event)}>
      {groups.length > 0 && (
        <Field label={accessTexts.giveTo}>
          {(aria) => (
            <Select
              {...aria}
              value={group}
              none={t.otherGroup}
              choices={groups.map((each) => ({ value: each.group, label: each.group }))}
              onChange={setGroup}
            />
          )}
        </Field>
      )}
      {group === '' && (
        <TextField
          label={t.group}
          value={typed}
          maxLength={200}
          error={isTried && chosen === '' ? t.groupRequired : undefined}
          onChange={setTyped}
        />
      )}
      <Field label={accessTexts.tenant}>
        {(aria) => (
          <ChooseTenant
            aria={aria}
            value={place}
            onChange={(next) => {
              setPlace(next);
              setSet({ id: '', name: '' });
            }}
          />
        )}
      </Field>
      <Field label={accessTexts.permissionSet} error={isTried && set.id === '' ? accessTexts.chooseSet : undefined}>
        {(aria) => <ChooseSet aria={aria} place={place} value={set.id} onChange={(id, name) => setSet({ id, name })} />}
      </Field>
      <div className="row">
        <Button look="primary" type="submit" disabled={isBusy}>
          {accessTexts.give}
        </Button>
      </div>
    </form>
  );
}

export function DirectoryGroups({ row }: { row: Directory }) {
  const may = useMay();
  const groups = useCall(groupsOfDirectory, { id: row.directoryId }, { refreshedBy: grants.name });
  return (
    <>
      <section className="form-section" aria-label={t.groups}>
        <h3>{t.groups}</h3>
        <Loaded query={groups} failed={t.groupsFailed}>
          {({ value }) =>
            value.length === 0 ? (
              <p className="muted">{t.noGroups}</p>
            ) : (
              <ul className="access-list">
                {value.map((group) => (
                  <GroupLine key={group.claim} {...group} mayEnd={may('People', 'delete')} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
      {groups.data && may('People', 'create') && (
        <section className="form-section" aria-label={accessTexts.give}>
          <h3>{accessTexts.give}</h3>
          <GiveToGroup directory={row} groups={groups.data.value} />
        </section>
      )}
    </>
  );
}
