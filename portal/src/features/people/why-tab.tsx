/** Asks the server why a person has or lacks access to something, and shows the explanation. */
import { compareNames } from '@cloudfit/contract/natural-order.ts';
import { useState, type SyntheticEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { useParams } from 'react-router';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { explainAccess } from '@cloudfit/contract/calls.ts';
import type { ExplainedAccess } from '@cloudfit/contract/actions/people.ts';
import { accessTexts, whyTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { useContextNow } from '../../api/context.ts';
import { useTenants } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { Field } from '../../components/field.tsx';
import type { Person } from './change-person.ts';
import './access.css';

const anyTenant = '';
const kinds = Object.entries(t.kinds);
/** The screens to ask about: one for each entity, with the permission that its list requires. */
const screens = resources.map(({ name, plural, area }) => ({ name, plural, permission: `CloudFit.CFS.${area}:view` }));
const sortedScreens = screens.toSorted((a, b) => compareNames(a.plural, b.plural));

const first = {
  kind: 'screen',
  screen: 'devices',
  permission: 'CloudFit.CFS.Devices:view',
  call: '',
  entity: 'devices',
  key: '',
  verb: 'view' as NonNullable<CallInput<typeof explainAccess>['verb']>,
};
type WhyDraft = typeof first & { place: string };

function questionOf({
  kind,
  screen,
  permission,
  call: to,
  entity,
  key,
  verb,
  place,
}: WhyDraft): Omit<CallInput<typeof explainAccess>, 'id'> {
  const tenantId = place === anyTenant ? undefined : place;
  if (kind === 'row') return { entity, key: key.trim(), verb };
  if (kind === 'call') return { call: to, tenantId };
  return { permission: kind === 'screen' ? (screens.find(({ name }) => name === screen)?.permission ?? '') : permission, tenantId };
}

/** The required permissions, each with its grants or marked as missing. */
function Permissions({ answer }: { answer: ExplainedAccess }) {
  if (answer.permissions.length === 0) return <p>{t.free}</p>;
  return (
    <ul className="access-list">
      {answer.permissions.map(({ permission, grants }) => (
        <li key={permission}>
          <span className="what">
            <strong className="mono">{permission}</strong>
            {grants.map(({ permissionSet, claim, tenantName }) => (
              <small key={`${permissionSet} ${claim} ${tenantName}`}>
                {t.by(permissionSet, claim === null ? t.personalGrant : t.group(claim), tenantName ?? accessTexts.allTenants)}
              </small>
            ))}
          </span>
          <Chip tone={grants.length > 0 ? 'ok' : 'warn'}>{grants.length > 0 ? t.present : t.missing}</Chip>
        </li>
      ))}
    </ul>
  );
}

function Explanation({ answer }: { answer: ExplainedAccess }) {
  const { isAllowed, obstacle, person, subject, sets, askedPeople, tenantId, tenantName } = answer;
  const place = tenantName !== null ? t.inTenant(tenantName) : tenantId === null ? t.inAll : '';
  const isMissing = !isAllowed && obstacle === null;
  return (
    <section className="form-section explanation" aria-label={t.title} role="status">
      <p>
        <strong>{(isAllowed ? t.may : t.mayNot)(person.name, subject, place)}</strong> {obstacle}
      </p>
      <Permissions answer={answer} />
      {isMissing && sets.length > 0 && <p className="muted">{t.sets(sets.join(', '))}</p>}
      {isMissing && (
        <p className="muted">{askedPeople.length > 0 ? t.grantors(askedPeople.map(({ name }) => name).join(', ')) : t.nobody}</p>
      )}
    </section>
  );
}

export function WhyTab({ row }: { row: Person }) {
  const { tenantId: inAddress } = useParams();
  const { tenantId } = useContextNow(inAddress);
  const { data: tenants = [] } = useTenants();
  const [draft, setDraft] = useState<WhyDraft>({ ...first, place: tenantId ?? anyTenant });
  const explain = useMutation({
    mutationFn: (question: WhyDraft) => call(explainAccess, { id: row.personId, ...questionOf(question) }, { quiet: true }),
  });
  const put = (part: Partial<WhyDraft>) => setDraft({ ...draft, ...part });
  const select = (name: keyof WhyDraft, label: string, choices: readonly (readonly [string, string])[]) => (
    <Field label={label}>
      {(aria) => (
        <select className="input" {...aria} value={draft[name]} onChange={(event) => put({ [name]: event.target.value })}>
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
  const input = (name: 'call' | 'key', label: string, help: string) => (
    <Field label={label} help={help} required>
      {(aria) => (
        <input className="input" {...aria} required value={draft[name]} onChange={(event) => put({ [name]: event.target.value })} />
      )}
    </Field>
  );
  const entities = sortedScreens.map(({ name, plural }) => [name, plural] as const);
  const { kind } = draft;
  const ask = (event: SyntheticEvent) => {
    event.preventDefault();
    explain.mutate(draft);
  };
  return (
    <>
      <form className="give-access" onSubmit={ask} aria-label={t.title}>
        <p className="faint">{t.text}</p>
        {select('kind', t.kind, kinds)}
        {kind === 'screen' && select('screen', t.screen, entities)}
        {kind === 'permission' &&
          select(
            'permission',
            t.permission,
            allPermissions.map((permission) => [permission, permission] as const),
          )}
        {kind === 'call' && input('call', t.call, t.callHelp)}
        {kind === 'row' && (
          <>
            {select('entity', t.entity, entities)}
            {input('key', t.key, t.keyHelp)}
            {select('verb', t.verb, Object.entries(t.verbs))}
          </>
        )}
        {kind !== 'row' &&
          select('place', accessTexts.tenant, [
            ...tenants.map((tenant) => [tenant.tenantId, tenant.name] as const),
            [anyTenant, t.anyTenant] as const,
          ])}
        <div className="row">
          <Button look="primary" type="submit" disabled={explain.isPending}>
            {explain.isPending ? t.asking : t.ask}
          </Button>
        </div>
      </form>
      {explain.error && (
        <p className="notice error" role="alert">
          {failureText(explain.error)}
        </p>
      )}
      {explain.data && <Explanation answer={explain.data} />}
    </>
  );
}
