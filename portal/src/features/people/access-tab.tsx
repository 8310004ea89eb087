/** The grants of one person: given, changed and ended here. */
import { useState, type SyntheticEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { accessTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { callJson, failureText } from '../../api/client.ts';
import { useContextNow } from '../../api/context.ts';
import { useMay } from '../../api/lookups.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { Field } from '../../components/field.tsx';
import { confirm } from '../../components/overlay/confirm.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { seeAs, type Person } from './change-person.ts';
import { ChooseSet, ChooseTenant, tenantOf, type GrantDraft } from './choose-set.tsx';

interface PersonGrant {
  grantId: string;
  claim: string | null;
  tenantId: string | null;
  tenantName: string | null;
  isOpen: boolean;
  permissionSetId: string;
  permissionSet: string;
  created: string;
  problem: string | null;
}

const placeOf = ({ tenantId, tenantName }: PersonGrant) => (tenantId === null ? t.allTenants : (tenantName ?? tenantId));

const refresh = () =>
  Promise.all([queryClient.invalidateQueries({ queryKey: [grants.name] }), queryClient.invalidateQueries({ queryKey: [people.name] })]);

async function end(person: Person, grant: PersonGrant): Promise<void> {
  const { permissionSet, claim } = grant;
  const { yes } = await confirm({
    title: t.endTitle,
    text: t.endQuestion(claim === null ? person.name : t.group(claim), permissionSet, placeOf(grant)),
    yes: t.end,
    no: en.common.cancel,
    danger: true,
  });
  if (!yes) return;
  try {
    await callJson(`/v1/${grants.name}/${grant.grantId}`, { method: 'DELETE', quiet: true });
    toast.success(t.ended(permissionSet, placeOf(grant)));
  } catch (error) {
    toastFailure(error, t.endFailed);
  }
  await refresh();
}

function GrantLine({ person, grant, mayChange }: { person: Person; grant: PersonGrant; mayChange: boolean }) {
  const [isChanging, setChanging] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const place = placeOf(grant);
  const change = async (permissionSetId: string, name: string) => {
    setBusy(true);
    try {
      await callJson(`/v1/${grants.name}/${grant.grantId}/permissionSet`, { method: 'PUT', body: { permissionSetId }, quiet: true });
      toast.success(t.changed(name));
    } catch (error) {
      toastFailure(error, t.giveFailed);
    }
    setBusy(false);
    await refresh();
  };
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
          <Button small look="danger" aria-label={t.endOf(grant.permissionSet, place)} onClick={() => void end(person, grant)}>
            {t.end}
          </Button>
        </>
      )}
      {isChanging && (
        <div className="instead" inert={isBusy}>
          <ChooseSet
            place={grant.tenantId ?? 'all'}
            value=""
            without={grant.permissionSetId}
            onChange={(permissionSetId, name) => void change(permissionSetId, name)}
          />
        </div>
      )}
    </li>
  );
}

function GiveAccess({ person, groups }: { person: Person; groups: readonly string[] }) {
  const { tenantId: inAddress } = useParams();
  const { tenantId } = useContextNow(inAddress);
  const [draft, setDraft] = useState<GrantDraft>({ place: tenantId ?? '', permissionSetId: '' });
  const [claim, setClaim] = useState('');
  const [name, setName] = useState('');
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const give = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    if (draft.permissionSetId === '' || isBusy) return;
    setBusy(true);
    const body = {
      tenantId: tenantOf(draft),
      permissionSetId: draft.permissionSetId,
      ...(claim === '' ? { personId: person.personId } : { claim }),
    };
    try {
      await callJson(`/v1/${grants.name}`, { method: 'PUT', body, quiet: true });
      toast.success(t.granted(claim === '' ? person.name : t.group(claim), name));
      setDraft({ ...draft, permissionSetId: '' });
      setTried(false);
    } catch (error) {
      toastFailure(error, t.giveFailed);
    }
    setBusy(false);
    await refresh();
  };
  return (
    <form className="give-access" noValidate onSubmit={(event) => void give(event)}>
      {groups.length > 0 && (
        <Field label={t.giveTo}>
          {(aria) => (
            <select className="input" {...aria} value={claim} onChange={(event) => setClaim(event.target.value)}>
              <option value="">{person.name}</option>
              {groups.map((group) => (
                <option key={group} value={group}>
                  {t.group(group)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <ChooseTenant value={draft.place} onChange={(place) => setDraft({ place, permissionSetId: '' })} />
      <ChooseSet
        place={draft.place}
        value={draft.permissionSetId}
        error={isTried && draft.permissionSetId === '' ? t.chooseSet : undefined}
        onChange={(permissionSetId, chosen) => {
          setDraft({ ...draft, permissionSetId });
          setName(chosen);
        }}
      />
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
  const { data, error, refetch } = useQuery({
    queryKey: [grants.name, 'of', row.personId],
    queryFn: () => callJson<{ grants: PersonGrant[]; groups: string[] }>(`/v1/people/${row.personId}/access`, { quiet: true }),
  });
  if (error) return <ErrorState small title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />;
  return (
    <>
      <section className="form-section" aria-label={t.title}>
        <h3>{t.title}</h3>
        {!data && <Skeleton width="70%" />}
        {data?.grants.length === 0 && <p className="muted">{t.none}</p>}
        {data && data.grants.length > 0 && (
          <ul className="access-list">
            {data.grants.map((grant) => (
              <GrantLine key={grant.grantId} person={row} grant={grant} mayChange={may('People', 'create')} />
            ))}
          </ul>
        )}
        {row.enabled && may('People', 'edit') && (
          <Button small icon="search" onClick={() => void seeAs(row)}>
            {t.sight.begin}
          </Button>
        )}
      </section>
      {data && may('People', 'create') && (
        <section className="form-section" aria-label={t.give}>
          <h3>{t.give}</h3>
          <GiveAccess person={row} groups={data.groups} />
        </section>
      )}
    </>
  );
}
