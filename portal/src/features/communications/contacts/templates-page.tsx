/** Texts from which authors begin an update, of this tenant and of all. */
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { communicationUpdateTexts as t } from '@cloudfit/contract/messages/communication-updates.en.ts';
import { communicationTemplates } from '@cloudfit/contract/resources/communication-templates.ts';
import { ListPage } from '../../../resource/list-page.tsx';
import { defineView } from '../../../resource/view.ts';

const templatesView = defineView({
  resource: communicationTemplates,
  icon: 'quote',
  texts: { title: t.templates, saveFailed: t.templateFailed, emptyText: t.templatesEmpty },
  columns: ['name', 'detail', 'tenantId', 'createdBy'],
  expand: ['tenant'],
  base: ({ tenantId }) => [
    tenantId ? or(eq(communicationTemplates, 'tenantId', tenantId), eq(communicationTemplates, 'tenantId', null)) : undefined,
  ],
  filters: ['tenantId'],
  form: { sections: [{ fields: ['name', 'tenantId', 'detail'] }], wide: ['detail'] },
});

export function TemplatesPage() {
  return <ListPage view={templatesView} />;
}
