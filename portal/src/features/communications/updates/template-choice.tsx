import { fillTemplate } from '@cloudfit/contract/communications/template.ts';
import { communicationUpdateTexts as t } from '@cloudfit/contract/messages/communication-updates.en.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { communicationTemplates } from '@cloudfit/contract/resources/communication-templates.ts';
import { Field } from '../../../components/field.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { useList } from '../../../rows/use-rows.ts';
import type { CommunicationRow } from '../communication.rules.ts';

interface TemplateChoiceProps {
  communication: CommunicationRow;
  /** As the form has it at this moment. */
  nextUpdate: string | null;
  onText: (text: string) => void;
}

/** Begins the text from a template of the tenant or of all; nothing while there is none. */
export function TemplateChoice({ communication, nextUpdate, onText }: TemplateChoiceProps) {
  const filter = or(eq(communicationTemplates, 'tenantId', communication.tenantId), eq(communicationTemplates, 'tenantId', null));
  const templates = useList(communicationTemplates, { filter, orderBy: 'name asc', top: 200 }).data?.rows ?? [];
  if (templates.length === 0) return null;
  return (
    <Field label={t.template}>
      {(aria) => (
        <Select
          {...aria}
          value=""
          none={t.templateNone}
          choices={templates.map((template) => ({ value: template.communicationTemplateId, label: template.name }))}
          onChange={(id) => {
            const template = templates.find(({ communicationTemplateId }) => communicationTemplateId === id);
            if (template) onText(fillTemplate(template.detail, { ...communication, nextUpdate }));
          }}
        />
      )}
    </Field>
  );
}
