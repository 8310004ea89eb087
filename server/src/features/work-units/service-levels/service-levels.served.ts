import { levelOrder } from '@cloudfit/contract/service-levels/choose-level.ts';
import { serviceLevels, workingCalendars, workUnitClocks } from '@cloudfit/contract/resources/service-levels.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { serve, type FieldError, type RowChange } from '../../../resources/served.ts';
import { forgetLevels } from './level-in-force.ts';

type LevelRow = Row<typeof serviceLevels>;

const targets = ['acknowledgeMinutes', 'firstAnswerMinutes', 'resolveMinutes', 'nextUpdateMinutes'] as const;

async function levelFaults(ctx: Ctx, { verb, after, changed }: RowChange<LevelRow>): Promise<FieldError[]> {
  if (verb === 'delete') return [];
  const errors: FieldError[] = [];
  if (targets.every((name) => (after[name] ?? null) === null))
    errors.push({
      target: 'resolveMinutes',
      message: 'A service level has at least one target: enter the minutes to resolve, for example.',
    });
  if (!changed.some((name) => levelOrder.some((key) => key === name)) && verb === 'update') return errors;
  const [row] = await ctx.db.query<{ other: string | null; categoryFits: boolean | null }>({
    name: 'service-level-check',
    text: `select (select name from service_level where tenant_id is not distinct from $1 and work_unit_category_id is not distinct from $2
        and severity_id is not distinct from $3 and work_unit_type_id is not distinct from $4 and service_level_id is distinct from $5) as other,
      (select $4::bigint is null or work_unit_type_id = $4 from work_unit_category where work_unit_category_id = $2) as "categoryFits"`,
    values: [
      after.tenantId ?? null,
      after.workUnitCategoryId ?? null,
      after.severityId ?? null,
      after.workUnitTypeId ?? null,
      verb === 'update' ? after.serviceLevelId : null,
    ],
  });
  if (row?.categoryFits === false)
    errors.push({ target: 'workUnitCategoryId', message: 'This category belongs to another work unit type.' });
  if (row?.other)
    errors.push({
      target: 'name',
      message: `The service level ${row.other} is for the same tenant, type, category and severity. Change it, or choose others here.`,
    });
  return errors;
}

export const servedServiceLevels = serve(serviceLevels, 'service_level', { check: levelFaults, after: forgetLevels });

export const servedWorkingCalendars = serve(workingCalendars, 'working_calendar', { after: forgetLevels });

export const servedWorkUnitClocks = serve(workUnitClocks, 'work_unit_clock');
