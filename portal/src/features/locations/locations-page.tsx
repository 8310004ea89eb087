import { eq, or } from '@cloudfit/contract/query/build.ts';
import { locations } from '@cloudfit/contract/resources/locations.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { locationTexts as t } from '@cloudfit/contract/messages/locations.en.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';

/** A declaration only: this screen needs no code of its own. */
export const locationsView = defineView({
  resource: locations,
  icon: 'locations',
  texts: { title: en.shell.items.locations, saveFailed: t.saveFailed, emptyText: t.emptyText },
  columns: ['name', 'city', 'state', 'tenantId'],
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? or(eq(locations, 'tenantId', tenantId), eq(locations, 'tenantId', null)) : undefined],
  filters: ['city', 'state', 'country'],
});

export function LocationsPage() {
  return <ListPage view={locationsView} />;
}
