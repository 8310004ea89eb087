/** Asks the server why a person has or lacks access to something, and shows the explanation. */
import { compareNames } from '@cloudfit/contract/natural-order.ts';
import { useMemo, useState } from 'react';
import { useParams } from 'react-router';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { explainAccess } from '@cloudfit/contract/calls.ts';
import type { ExplainedAccess } from '@cloudfit/contract/actions/people.ts';
import { accessTexts, whyTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { f, type Choice, type Field, type Resource, type Row } from '@cloudfit/contract/resource.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { call } from '../../api/call.ts';
import { useContextNow } from '../../api/context.ts';
import { useTenants } from '../../api/lookups.ts';
import { ActionForm } from '../../calls/action-form.tsx';
import { useActionForm } from '../../calls/use-action-form.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { choicesOf, Select } from '../../components/fields/select.tsx';
import type { FormLayout, InputProps } from '../../forms/form-types.ts';
import type { Person } from './change-person.ts';
import './access.css';

const anyTenant = '';
/** The screens to ask about: one for each entity, with the permission that its list requires. */
const screens = resources.map(({ name, plural, area }) => ({ name, plural, permission: `CloudFit.CFS.${area}:view` }));
const entities = screens.map(({ name, plural }) => ({ value: name, label: plural })).toSorted((a, b) => compareNames(a.label, b.label));
const kinds = ['screen', 'permission', 'call', 'row'] as const;
const verbs = ['view', 'edit', 'delete'] as const;

/** A choice whose value the server checks. */
const oneOfMany = (label: string, choices: readonly Choice<string>[], initial: string): Field<string> => ({
  ...f.text(label, { initial }),
  input: 'select',
  choices,
});

const fieldsFor = (place: string) => ({
  kind: { ...f.choice(t.kind, kinds, { initial: 'screen' }), choices: choicesOf(kinds, t.kinds) },
  screen: oneOfMany(t.screen, entities, 'devices'),
  permission: oneOfMany(
    t.permission,
    allPermissions.map((value) => ({ value, label: value })),
    'CloudFit.CFS.Devices:view',
  ),
  call: f.text(t.call, { required: true, help: t.callHelp }),
  entity: oneOfMany(t.entity, entities, 'devices'),
  key: f.text(t.key, { required: true, help: t.keyHelp }),
  verb: { ...f.choice(t.verb, verbs, { initial: 'view' }), choices: choicesOf(verbs, t.verbs) },
  place: f.text(accessTexts.tenant, { initial: place }),
});
type WhyFields = ReturnType<typeof fieldsFor>;

/** The fields of each kind of question. */
const fieldsOfKind: Record<(typeof kinds)[number], readonly (keyof WhyFields)[]> = {
  screen: ['screen', 'place'],
  permission: ['permission', 'place'],
  call: ['call', 'place'],
  row: ['entity', 'key', 'verb'],
};

function PlaceInput({ aria, value, onChange, onBlur }: InputProps) {
  const { data: tenants = [] } = useTenants();
  const choices = [...tenants.map(({ tenantId, name }) => ({ value: tenantId, label: name })), { value: anyTenant, label: t.anyTenant }];
  return <Select {...aria} value={String(value)} choices={choices} onBlur={onBlur} onChange={onChange} />;
}

const layout: FormLayout<Resource<WhyFields>> = {
  wide: ['kind', 'screen', 'permission', 'call', 'entity', 'key', 'verb', 'place'],
  hides: ({ kind }) => {
    const shown = fieldsOfKind[kinds.find((name) => name === kind) ?? 'screen'];
    return Object.values(fieldsOfKind).flatMap((names) => names.filter((name) => !shown.includes(name)));
  },
  inputs: { place: PlaceInput },
};

function questionOf({
  kind,
  screen,
  permission,
  call: to,
  entity,
  key,
  verb,
  place,
}: Row<Resource<WhyFields>>): Omit<CallInput<typeof explainAccess>, 'id'> {
  if (kind === 'row') return { entity, key: key.trim(), verb };
  const tenantId = place === anyTenant ? undefined : place;
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
  const [answer, setAnswer] = useState<ExplainedAccess>();
  const { isBusy, ...form } = useActionForm((values) => call(explainAccess, { id: row.personId, ...questionOf(values) }, { quiet: true }), {
    draft: `why.${row.personId}`,
    fields: useMemo(() => fieldsFor(tenantId ?? anyTenant), [tenantId]),
    layout,
    onDone: setAnswer,
  });
  return (
    <>
      <ActionForm {...form} label={t.title}>
        <p className="faint">{t.text}</p>
      </ActionForm>
      <div className="row">
        <Button look="primary" type="submit" form={form.state.id} disabled={isBusy}>
          {isBusy ? t.asking : t.ask}
        </Button>
      </div>
      {answer && <Explanation answer={answer} />}
    </>
  );
}
