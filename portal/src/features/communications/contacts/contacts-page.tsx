/** Whom a tenant tells of its communications by mail. */
import { eq } from '@cloudfit/contract/query/build.ts';
import { communicationContactTexts as t } from '@cloudfit/contract/messages/communication-contacts.en.ts';
import { communicationContacts } from '@cloudfit/contract/resources/communication-contacts.ts';
import { Chip } from '../../../components/chips.tsx';
import { fieldColumn } from '../../../rows/cells.tsx';
import { ImportButton } from '../../../entities/list-import/import-button.tsx';
import { ListPage } from '../../../resource/list-page.tsx';
import { usualTexts } from '../../../resource/usual-texts.ts';
import { defineView } from '../../../resource/view.ts';

const contactsView = defineView({
  resource: communicationContacts,
  icon: 'person',
  texts: { ...usualTexts(t), saveFailed: t.saveFailed },
  columns: [
    'name',
    { ...fieldColumn(communicationContacts, 'email'), width: 220, below: 'sm' },
    { ...fieldColumn(communicationContacts, 'kinds'), width: 120, below: 'md' },
    { ...fieldColumn(communicationContacts, 'minimumSeverity'), width: 140, below: 'md' },
    { ...fieldColumn(communicationContacts, 'language'), width: 100, below: 'md' },
    {
      ...fieldColumn(communicationContacts, 'active'),
      cell: (row) => <Chip tone={row.active ? 'ok' : 'plain'}>{row.active ? t.active : row.unsubscribed ? t.unsubscribed : t.paused}</Chip>,
    },
    { ...fieldColumn(communicationContacts, 'tenantId'), below: 'md' },
    { ...fieldColumn(communicationContacts, 'timeZone'), hidden: true },
    { ...fieldColumn(communicationContacts, 'phone'), hidden: true },
    { ...fieldColumn(communicationContacts, 'modified'), hidden: true },
  ],
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? eq(communicationContacts, 'tenantId', tenantId) : undefined],
  filters: ['active', 'kinds', 'minimumSeverity', 'language'],
  form: {
    sections: [
      { fields: ['name', 'tenantId', 'email', 'phone', 'language', 'timeZone'] },
      { title: t.news, fields: ['kinds', 'minimumSeverity', 'active'] },
    ],
    wide: ['name'],
  },
  panelTop: (row) => {
    const notes = [row.personId ? t.byThemselves : '', row.unsubscribed ? t.unsubscribedHint : ''].filter(Boolean);
    return notes.length > 0 ? <p className="faint">{notes.join(' ')}</p> : null;
  },
});

export function ContactsPage() {
  return <ListPage view={contactsView} bar={<ImportButton list="communicationContacts" area={communicationContacts.area} />} />;
}
