import { Link } from 'react-router';
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { serviceLevelTexts as t } from '@cloudfit/contract/messages/service-levels.en.ts';
import { serviceLevels } from '@cloudfit/contract/resources/service-levels.ts';
import { lasting } from '../../components/relative-time.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import { usualTexts } from '../../resource/usual-texts.ts';
import { defineView } from '../../resource/view.ts';

type TargetField = 'acknowledgeMinutes' | 'firstAnswerMinutes' | 'resolveMinutes' | 'nextUpdateMinutes';

const targetText = (minutes: number | null): string => (minutes === null ? '' : lasting(minutes * minuteMs, true));

const target = (name: TargetField, header: string) => ({
  ...fieldColumn(serviceLevels, name),
  header,
  width: 104,
  cell: (row: { [K in TargetField]: number | null }) => <span className="num">{targetText(row[name])}</span>,
  text: (row: { [K in TargetField]: number | null }) => targetText(row[name]),
});

const serviceLevelsView = defineView({
  resource: serviceLevels,
  icon: 'sliders',
  texts: usualTexts(t),
  columns: [
    'name',
    { ...fieldColumn(serviceLevels, 'workUnitTypeId'), width: 130, tone: 'soft' },
    { ...fieldColumn(serviceLevels, 'workUnitCategoryId'), width: 130, tone: 'soft' },
    { ...fieldColumn(serviceLevels, 'severityId'), width: 90 },
    target('acknowledgeMinutes', t.kinds.Acknowledge),
    target('firstAnswerMinutes', t.kinds.FirstAnswer),
    target('resolveMinutes', t.kinds.Resolve),
    target('nextUpdateMinutes', t.kinds.NextUpdate),
    { ...fieldColumn(serviceLevels, 'workingCalendarId'), width: 130, tone: 'soft', below: 'md' },
    { ...fieldColumn(serviceLevels, 'tenantId'), tone: 'soft' },
  ],
  expand: ['tenant', 'workUnitType', 'workUnitCategory', 'workingCalendar'],
  base: ({ tenantId }) => [tenantId ? or(eq(serviceLevels, 'tenantId', tenantId), eq(serviceLevels, 'tenantId', null)) : undefined],
  filters: ['tenantId', 'severityId', 'workUnitTypeId'],
  panelTop: () => <p className="muted">{t.help}</p>,
  form: {
    sections: [
      { title: t.sections.what, fields: ['name', 'tenantId'] },
      { title: t.sections.for, fields: ['workUnitTypeId', 'workUnitCategoryId', 'severityId'] },
      {
        title: t.sections.targets,
        fields: ['acknowledgeMinutes', 'firstAnswerMinutes', 'resolveMinutes', 'nextUpdateMinutes', 'warnPercent'],
      },
      { title: t.sections.time, fields: ['workingCalendarId', 'pausesOnHold'] },
    ],
  },
});

/** How soon work units are to be acknowledged, answered and resolved. */
export function ServiceLevelsPage() {
  return (
    <ListPage
      view={serviceLevelsView}
      bar={
        <Link className="btn" to="../workingcalendars" relative="path">
          {t.calendars}
        </Link>
      }
    />
  );
}
