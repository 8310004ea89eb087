/** Publishers whose signatures on packages a tenant trusts. */
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { publishers } from '@cloudfit/contract/resources/publishers.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { usualTexts } from '../../resource/usual-texts.ts';
import { defineView } from '../../resource/view.ts';

const t = packageTexts.publishers;

const publishersView = defineView({
  resource: publishers,
  icon: 'lock',
  texts: usualTexts(t),
  columns: ['name', { ...fieldColumn(publishers, 'fingerprint'), width: 320, tone: 'soft', below: 'md' }, 'tenantId', 'created'],
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? or(eq(publishers, 'tenantId', tenantId), eq(publishers, 'tenantId', null)) : undefined],
  filters: ['tenantId'],
  form: { sections: [{ fields: ['name', 'tenantId', 'publicKey'] }], wide: ['publicKey'], help: { tenantId: t.tenantHelp } },
});

export function PublishersPage() {
  return <ListPage view={publishersView} />;
}
