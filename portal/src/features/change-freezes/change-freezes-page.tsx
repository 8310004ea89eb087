import { eq, or } from '@cloudfit/contract/query/build.ts';
import { changeFreezes } from '@cloudfit/contract/resources/change-freezes.ts';
import { changeCalendarTexts as t } from '@cloudfit/contract/messages/change-calendar.en.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';

const changeFreezesView = defineView({
  resource: changeFreezes,
  icon: 'lock',
  texts: {
    title: t.freezes,
    saveFailed: t.saveFailed,
    emptyText: t.freezesEmptyText,
    delete: t.removeFreeze,
    deleted: (row) => t.removed(row.name),
    deleteQuestion: (row) => t.removeQuestion(row.name),
  },
  columns: ['name', 'startsAt', 'endsAt', 'tenantId', 'createdBy'],
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? or(eq(changeFreezes, 'tenantId', tenantId), eq(changeFreezes, 'tenantId', null)) : undefined],
  filters: ['tenantId'],
  form: { sections: [{ fields: ['name', 'startsAt', 'endsAt', 'tenantId'] }], wide: ['name'] },
});

/** The times in which a change needs an override. */
export function ChangeFreezesPage() {
  return <ListPage view={changeFreezesView} />;
}
