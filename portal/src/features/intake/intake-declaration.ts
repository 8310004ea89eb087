/** The fields of an intake, declared like those of a resource. */
import { scopes, severityOfScope, sources } from '@cloudfit/contract/enums.ts';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import { defineResource, f, optional } from '@cloudfit/contract/resource.ts';

/** Maximum length of a title in characters (INTK-017). */
export const maxTitle = 50;

export interface IntakeMode {
  isSpam: boolean;
  /** Whether the form has no title field; then the first line of the description becomes the title. */
  hidesTitle: boolean;
}

export type IntakeDeclaration = ReturnType<typeof intakeDeclaration>;

const labeledScopes = scopes.map((value) => ({ value, label: t.scopeWithSeverity(t.scopes[value], severityOfScope(value)) }));

/** The fields; a spam call requires only the phone number (INTK-018..027). */
export function intakeDeclaration({ isSpam, hidesTitle }: IntakeMode) {
  const required = !isSpam;
  return defineResource({
    name: 'intake',
    label: t.title,
    plural: t.title,
    key: 'title',
    title: 'title',
    area: 'WorkUnits',
    scope: { kind: 'tenant', field: 'tenantId' },
    verbs: ['create'],
    orderBy: 'title asc',
    fields: {
      stakeHolderPhoneNumber: f.text(t.phone, { required: true, max: 60, message: t.phoneRequired }),
      stakeHolderFullName: f.text(t.name, { required }),
      stakeHolderEmailAddress: f.text(t.email, { required, max: 320 }),
      tenantId: optional(f.ref(t.tenant, 'tenants', { required })),
      title: f.text(t.workTitle, { required, max: maxTitle }),
      description: f.text(t.description, { required, max: 4_000, ...(hidesTitle && required ? { help: t.firstLine } : {}) }),
      protocolId: optional(f.ref(t.protocol, 'protocols', { required })),
      source: optional(
        f.choice(
          t.source,
          sources.filter((source) => source !== 'Spam'),
          { required },
        ),
      ),
      scope: optional({ ...f.choice(t.scope, scopes, { required }), choices: labeledScopes }),
    },
  });
}
