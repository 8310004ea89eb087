/** The grants of one person: personGrants, changed and ended here. */
import { useState, type SyntheticEvent } from 'react';
import { useParams } from 'react-router';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { accessOfPerson, changeGrant } from '@cloudfit/contract/calls.ts';
import { accessTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { call, useCall } from '../../api/call.ts';
import { useContextNow } from '../../api/context.ts';
import { useMay } from '../../api/lookups.ts';
import { createRow, removeRow } from '../../api/row-calls.ts';
import { command, useCommand } from '../../calls/command.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { Field } from '../../components/field.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Select } from '../../components/fields/select.tsx';
import { seeAs, type Person } from './change-person.ts';
import { allTenants, ChooseSet, ChooseTenant, tenantOf } from './choose-set.tsx';

type PersonGrant = CallOutput<typeof accessOfPerson>['grants'][number];

const placeOf = ({ tenantId, tenantName }: PersonGrant) => (tenantId === null ? t.allTenants : (tenantName ?? tenantId));

const refreshes = [grants.name, people.name];

const end = command(({ grant }: { person: Person; grant: PersonGrant }) => removeRow(grants, grant.grantId, { quiet: true }), {
  confirm: ({ person, grant }) => ({
    title: t.endTitle,
    text: t.endQuestion(grant.claim === null ? person.name : t.group(grant.claim), grant.permissionSet, placeOf(grant)),
    yes: t.end,
    danger: true,
  }),
  done: (_, { grant }) => t.ended(grant.permissionSet, placeOf(grant)),
  failed: t.endFailed,
  refreshes,
});

function GrantLine({ person, grant, mayChange }: { person: Person; grant: PersonGrant; mayChange: boolean }) {
  const [isChanging, setChanging] = useState(false);
  const place = placeOf(grant);
  const change = useCommand(
    ({ permissionSetId }: { permissionSetId: string; name: string }) =>
      call(changeGrant, { id: grant.grantId, permissionSetId }, { quiet: true }),
    { done: (_, { name }) => t.changed(name), failed: t.giveFailed, refreshes },
  );
  return (
    <li>
      <span className="what">
        <strong>{grant.permissionSet}</strong> {place} {grant.claim !== null && <Chip>{t.group(grant.claim)}</Chip>}{' '}
        {!grant.isOpen && <Chip tone="warn">{t.closed}</Chip>}
        <small>{grant.problem ?? <RelativeTime value={grant.created} />}</small>
      </span>
      {grant.problem === null && (
        <>
          {mayChange && (
            <Button
              small
              aria-expanded={isChanging}
              aria-label={t.changeOf(grant.permissionSet, place)}
              onClick={() => setChanging(!isChanging)}
            >
              {isChanging ? en.common.cancel : t.change}
            </Button>
          )}
          <Button small look="danger" aria-label={t.endOf(grant.permissionSet, place)} onClick={() => void end({ person, grant })}>
            {t.end}
          </Button>
        </>
      )}
      {isChanging && (
        <div className="instead" inert={change.isBusy}>
          <Field label={t.permissionSet}>
            {(aria) => (
              <ChooseSet
                aria={aria}
                place={grant.tenantId ?? allTenants}
                value=""
                without={grant.permissionSetId}
                onChange={(permissionSetId, name) => void change.run({ permissionSetId, name })}
              />
            )}
          </Field>
        </div>
      )}
    </li>
  );
}

function GiveAccess({ person, groups }: { person: Person; groups: readonly string[] }) {
  const { tenantId: inAddress } = useParams();
  const { tenantId } = useContextNow(inAddress);
  const [draft, setDraft] = useState({ place: tenantId ?? '', permissionSetId: '' });
  const [claim, setClaim] = useState('');
  const [name, setName] = useState('');
  const [isTried, setTried] = useState(false);
  const { run, isBusy } = useCommand(
    () => {
      const { permissionSetId } = draft;
      const to = claim === '' ? { personId: person.personId } : { claim };
      return createRow(grants, { tenantId: tenantOf(draft.place), permissionSetId, ...to }, { quiet: true });
    },
    { done: () => t.granted(claim === '' ? person.name : t.group(claim), name), failed: t.giveFailed, refreshes },
  );
  const give = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    if (draft.permissionSetId === '' || !(await run(undefined))) return;
    setDraft({ ...draft, permissionSetId: '' });
    setTried(false);
  };
  return (
    <form className="give-access" noValidate onSubmit={(event) => void give(event)}>
      {groups.length > 0 && (
        <Field label={t.giveTo}>
          {(aria) => (
            <Select
              {...aria}
              value={claim}
              none={person.name}
              choices={groups.map((group) => ({ value: group, label: t.group(group) }))}
              onChange={setClaim}
            />
          )}
        </Field>
      )}
      <Field label={t.tenant}>
        {(aria) => <ChooseTenant aria={aria} value={draft.place} onChange={(place) => setDraft({ place, permissionSetId: '' })} />}
      </Field>
      <Field label={t.permissionSet} error={isTried && draft.permissionSetId === '' ? t.chooseSet : undefined}>
        {(aria) => (
          <ChooseSet
            aria={aria}
            place={draft.place}
            value={draft.permissionSetId}
            onChange={(permissionSetId, chosen) => {
              setDraft({ ...draft, permissionSetId });
              setName(chosen);
            }}
          />
        )}
      </Field>
      <div className="row">
        <Button look="primary" type="submit" disabled={isBusy}>
          {t.give}
        </Button>
      </div>
    </form>
  );
}

export function AccessTab({ row }: { row: Person }) {
  const may = useMay();
  const access = useCall(accessOfPerson, { id: row.personId }, { refreshedBy: grants.name });
  return (
    <>
      <section className="form-section" aria-label={t.title}>
        <h3>{t.title}</h3>
        <Loaded query={access} failed={t.failed}>
          {({ grants: personGrants }) =>
            personGrants.length === 0 ? (
              <p className="muted">{t.none}</p>
            ) : (
              <ul className="access-list">
                {personGrants.map((grant) => (
                  <GrantLine key={grant.grantId} person={row} grant={grant} mayChange={may('People', 'create')} />
                ))}
              </ul>
            )
          }
        </Loaded>
        {row.enabled && may('People', 'edit') && (
          <Button small icon="search" onClick={() => void seeAs(row)}>
            {t.impersonation.begin}
          </Button>
        )}
      </section>
      {access.data && may('People', 'create') && (
        <section className="form-section" aria-label={t.give}>
          <h3>{t.give}</h3>
          <GiveAccess person={row} groups={access.data.groups} />
        </section>
      )}
    </>
  );
}
