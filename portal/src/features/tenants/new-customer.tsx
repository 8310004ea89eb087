/** Makes a customer from a template in one form, beside a preview of all that will be made. */
import { useState, type SyntheticEvent } from 'react';
import { Link } from 'react-router';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CallInput, CallOutput } from '@cloudfit/contract/call.ts';
import { grantChoices, makeCustomer } from '@cloudfit/contract/calls.ts';
import { customerTexts as t } from '@cloudfit/contract/messages/customers.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { customerTemplates } from '@cloudfit/contract/resources/customer-templates.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { call, useCall } from '../../api/call.ts';
import { failureText, RequestFailed, useFormId } from '../../api/client.ts';
import { useCommand } from '../../calls/command.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { useList } from '../../rows/use-rows.ts';
import { renewTenants } from './toggle-tenant.ts';
import './customers.css';

type CustomerInput = CallInput<typeof makeCustomer>;
type CustomerAnswer = CallOutput<typeof makeCustomer>;
type ChosenTemplate = Row<typeof customerTemplates>;

interface InvitedPerson {
  key: number;
  email: string;
  name: string;
  permissionSetId: string;
}

interface Typed {
  name: string;
  templateId: string;
  people: readonly InvitedPerson[];
  without: ReadonlySet<string>;
}

const restMs = 400;

const isWhole = ({ email, name, permissionSetId }: InvitedPerson): boolean =>
  email.trim() !== '' && name.trim() !== '' && permissionSetId !== '';

function requestOf({ name, templateId, people, without }: Typed, dryRun: boolean): CustomerInput {
  return {
    name,
    dryRun,
    ...(templateId ? { customerTemplateId: templateId } : {}),
    ...(without.size > 0 ? { without: [...without] } : {}),
    people: people
      .filter((person) => !dryRun || isWhole(person))
      .map(({ email, name: who, permissionSetId }) => ({ email, name: who, permissionSetId })),
  };
}

/** The sets that may be given: those of the template, and those for all tenants. */
function useSets(template: ChosenTemplate | undefined) {
  const { data = [] } = useCall(grantChoices, {});
  const { document } = (template?.content ?? {}) as { document?: { rows?: Record<string, Record<string, unknown>[]> } };
  const ofTemplate = (document?.rows?.['permissionSets'] ?? []).map((row) => ({
    value: String(row['permissionSetId']),
    label: String(row['name']),
  }));
  return [
    ...ofTemplate,
    ...data.filter(({ problem }) => problem === null).map(({ permissionSetId, name }) => ({ value: permissionSetId, label: name })),
  ];
}

/** What a person lacks, by field, so that nobody is left out without a word. */
function lackOf({ email, name, permissionSetId }: InvitedPerson) {
  return {
    email: email.trim() === '' ? t.emailRequired : /^\S+@\S+$/.test(email.trim()) ? undefined : t.emailInvalid,
    name: name.trim() === '' ? t.personNameRequired : undefined,
    permissionSetId: permissionSetId === '' ? t.permissionSetRequired : undefined,
  };
}

/** The name of the stored draft. */
const draftName = 'tenants.newCustomer';
type CustomerDraft = Omit<Typed, 'without'> & { without: readonly string[] };
const isCustomerDraft = (stored: unknown): stored is CustomerDraft =>
  typeof stored === 'object' && stored !== null && 'name' in stored && 'people' in stored && 'without' in stored;

interface PeopleProps {
  people: readonly InvitedPerson[];
  sets: ReturnType<typeof useSets>;
  /** Whether to say what each lacks. */
  isTried: boolean;
  onChange: (people: readonly InvitedPerson[]) => void;
}

function People({ people, sets, isTried, onChange }: PeopleProps) {
  const errorOf = (person: InvitedPerson) => (isTried ? lackOf(person) : undefined);
  const change = (key: number, part: Partial<InvitedPerson>) =>
    onChange(people.map((person) => (person.key === key ? { ...person, ...part } : person)));
  return (
    <section className="form-section" aria-label={t.people}>
      <h3>{t.people}</h3>
      <p className="faint">{t.peopleText}</p>
      {people.map((person, index) => (
        <fieldset key={person.key} className="new-person" aria-label={t.nthPerson(index + 1)}>
          <TextField
            label={t.email}
            type="email"
            autoComplete="off"
            value={person.email}
            error={errorOf(person)?.email}
            onChange={(email) => change(person.key, { email })}
          />
          <TextField
            label={t.personName}
            autoComplete="off"
            value={person.name}
            error={errorOf(person)?.name}
            onChange={(name) => change(person.key, { name })}
          />
          <Field label={t.permissionSet} error={errorOf(person)?.permissionSetId}>
            {(aria) => (
              <Select
                {...aria}
                choices={sets}
                none={t.choose}
                value={person.permissionSetId}
                onChange={(permissionSetId) => change(person.key, { permissionSetId })}
              />
            )}
          </Field>
          <IconButton
            icon="close"
            label={t.removePerson(person.name || t.nthPerson(index + 1))}
            onClick={() => onChange(people.filter(({ key }) => key !== person.key))}
          />
        </fieldset>
      ))}
      <Button
        small
        icon="plus"
        onClick={() => onChange([...people, { key: (people.at(-1)?.key ?? 0) + 1, email: '', name: '', permissionSetId: '' }])}
      >
        {t.addPerson}
      </Button>
    </section>
  );
}

/** Places that were seen in a preview, with what stands there: also those that are left out since. */
interface PreviewPlace {
  kind: string;
  at: string;
  name: string;
}

function placesOf(created: CustomerAnswer): PreviewPlace[] {
  return [
    ...created.changes.flatMap(({ resource, at, name }) => (at ? [{ kind: findResource(resource)?.plural ?? resource, at, name }] : [])),
    ...created.access.map(({ who, permissionSet }, i) => ({ kind: t.access, at: `access[${i}]`, name: `${who}: ${permissionSet}` })),
    ...created.tokens.map(({ name }, i) => ({ kind: t.tokens, at: `tokens[${i}]`, name })),
  ];
}

interface CustomerPreviewProps {
  created: CustomerAnswer | undefined;
  places: readonly PreviewPlace[];
  without: ReadonlySet<string>;
  onChoose: (places: readonly string[], isChosen: boolean) => void;
}

function Preview({ created, places, without, onChoose }: CustomerPreviewProps) {
  const kinds = [...Map.groupBy(places, ({ kind }) => kind)];
  return (
    <div className="customer-preview">
      {kinds.length === 0 && <p>{t.previewBare}</p>}
      {kinds.map(([kind, some]) => {
        const chosen = some.filter(({ at }) => !without.has(at)).length;
        return (
          <div key={kind} className="kind">
            <input
              type="checkbox"
              aria-label={t.takeKind(kind)}
              checked={chosen > 0}
              ref={(box) => {
                if (box) box.indeterminate = chosen > 0 && chosen < some.length;
              }}
              onChange={(event) =>
                onChoose(
                  some.map(({ at }) => at),
                  event.target.checked,
                )
              }
            />
            <details open={some.length <= 6}>
              <summary>
                {kind} <span className="faint num">{t.ofRows(chosen, some.length)}</span>
              </summary>
              <ul>
                {some.map(({ at, name }) => (
                  <li key={at}>
                    <label>
                      <input type="checkbox" checked={!without.has(at)} onChange={(event) => onChoose([at], event.target.checked)} /> {name}
                    </label>
                  </li>
                ))}
              </ul>
            </details>
          </div>
        );
      })}
      {created && created.invitations.length > 0 && (
        <p>
          {t.invitations}: {created.invitations.map(({ name, permissionSet }) => `${name} (${permissionSet})`).join(', ')}
        </p>
      )}
      {created && created.controlSets.length > 0 && (
        <p className="faint">
          {t.controlSets}: {created.controlSets.join(', ')}
        </p>
      )}
    </div>
  );
}

/** What can be read only now: values of tokens, and links of invitations. */
function Result({ created }: { created: CustomerAnswer }) {
  const secrets = [
    ...created.tokens.flatMap(({ name, generatedToken }) => (generatedToken ? [{ name, value: generatedToken }] : [])),
    ...created.invitations.flatMap(({ name, link }) => (link ? [{ name, value: link }] : [])),
  ];
  return (
    <div className="body">
      <p role="status">{t.made(created.name)}</p>
      {secrets.length > 0 && <p className="notice warning">{t.tokenOnce}</p>}
      <ul className="customer-secrets">
        {secrets.map(({ name, value }) => (
          <li key={name}>
            <strong>{name}</strong>
            <code>{value}</code>
            <CopyButton text={value} label={name} done={t.copied} />
          </li>
        ))}
      </ul>
      <p>
        <Link className="btn" to={`/tenants?id=${created.tenantId}`}>
          {t.openCustomer}
        </Link>
      </p>
    </div>
  );
}

function reasonsOf(error: unknown): string[] {
  const details = error instanceof RequestFailed ? error.details.flatMap(({ message }) => message ?? []) : [];
  return details.length > 0 ? details : [failureText(error)];
}

export function NewCustomer({ onClose }: { onClose: (options?: { saved?: boolean }) => void }) {
  const [typed, setTyped] = useState<Typed>({ name: '', templateId: '', people: [], without: new Set() });
  const [isTried, setTried] = useState(false);
  const [done, setDone] = useState<CustomerAnswer>();
  const templates = useList(customerTemplates, { orderBy: 'name asc', top: 100 }).data?.rows ?? [];
  const template = templates.find(({ customerTemplateId }) => customerTemplateId === typed.templateId);
  const sets = useSets(template);
  const rested = useDebounced(typed, restMs);
  const preview = useQuery({
    queryKey: [makeCustomer, requestOf(rested, true)],
    queryFn: () => call(makeCustomer, requestOf(rested, true), { quiet: true }),
    enabled: rested.name.trim() !== '' && !done,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const whole = useQuery({
    queryKey: [makeCustomer, 'places', typed.templateId],
    queryFn: () =>
      // A name that no tenant has, so that the places are there before a name is typed.
      call(makeCustomer, requestOf({ ...typed, name: `${t.newCustomer} ${typed.templateId}`, people: [], without: new Set() }, true), {
        quiet: true,
      }),
    enabled: !done,
    retry: false,
    gcTime: 0,
  });
  const formId = useFormId();
  // A second press after a try without an answer makes no second customer.
  const once = { quiet: true, creates: true, form: formId };
  const { run, isBusy } = useCommand((next: Typed) => call(makeCustomer, requestOf(next, false), once), {
    refreshes: [customerTemplates.name],
  });
  const isDirty = !done && (typed.name !== '' || typed.people.length > 0);
  const dropDraft = useDraft<CustomerDraft>({
    name: draftName,
    typed: isDirty ? { ...typed, without: [...typed.without] } : undefined,
    isTyped: isCustomerDraft,
    restore: (draft) => setTyped({ ...draft, without: new Set(draft.without) }),
  });
  useUnsavedGuard(isDirty, 'customer', dropDraft);
  const set = (part: Partial<Typed>) => setTyped({ ...typed, ...part });
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    const isLacking = typed.people.some((person) => Object.values(lackOf(person)).some((lack) => lack !== undefined));
    if (typed.name.trim() === '' || isLacking || isBusy) return;
    const created = await run(typed);
    if (!created) return;
    dropDraft();
    setDone(created.answer);
    await renewTenants();
  };
  const error = preview.error ?? whole.error;
  return (
    <SidePanel
      title={done ? done.name : t.newCustomer}
      wide
      onClose={() => onClose({ saved: done !== undefined })}
      footer={
        <>
          {!done && (
            <Button look="primary" type="submit" form="new-customer" disabled={isBusy}>
              {isBusy ? t.making : t.make}
            </Button>
          )}
          <Button onClick={() => onClose({ saved: done !== undefined })}>{done ? en.common.close : en.common.cancel}</Button>
        </>
      }
    >
      {done ? (
        <Result created={done} />
      ) : (
        <form id="new-customer" className="body new-customer" noValidate onSubmit={(event) => void submit(event)}>
          <div>
            <TextField
              label={t.name}
              required
              autoComplete="off"
              value={typed.name}
              error={isTried && typed.name.trim() === '' ? t.nameRequired : undefined}
              onChange={(name) => set({ name })}
            />
            <Field label={t.template} help={template?.description ?? undefined}>
              {(aria) => (
                <Select
                  {...aria}
                  choices={templates.map(({ customerTemplateId, name }) => ({ value: customerTemplateId, label: name }))}
                  none={t.noTemplate}
                  value={typed.templateId}
                  onChange={(templateId) => set({ templateId, without: new Set() })}
                />
              )}
            </Field>
            <People people={typed.people} sets={sets} isTried={isTried} onChange={(people) => set({ people })} />
          </div>
          <section aria-label={t.preview} aria-busy={preview.isFetching}>
            <h3>{t.preview}</h3>
            <p className="faint">{t.previewText}</p>
            {error && (
              <div className="notice error" role="alert">
                {reasonsOf(error).map((reason) => (
                  <p key={reason}>{reason}</p>
                ))}
              </div>
            )}
            {!whole.data && !error && <p role="status">{t.checking}</p>}
            {whole.data && (
              <Preview
                created={preview.data}
                places={placesOf(whole.data)}
                without={typed.without}
                onChoose={(places, isChosen) => {
                  const without = new Set(typed.without);
                  for (const at of places)
                    if (isChosen) without.delete(at);
                    else without.add(at);
                  set({ without });
                }}
              />
            )}
          </section>
        </form>
      )}
    </SidePanel>
  );
}
