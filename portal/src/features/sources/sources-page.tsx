import { eq } from '@cloudfit/contract/query/build.ts';
import { sources } from '@cloudfit/contract/resources/sources.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { sourceTexts as t } from '@cloudfit/contract/messages/sources.en.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';

const sourcesView = defineView({
  resource: sources,
  icon: 'star',
  texts: { title: en.shell.items.sources, saveFailed: t.saveFailed, emptyText: t.emptyText },
  columns: ['name', 'description', 'tenantId', 'modified'],
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? eq(sources, 'tenantId', tenantId) : undefined],
  filters: ['name'],
});

export function SourcesPage() {
  return <ListPage view={sourcesView} />;
}
