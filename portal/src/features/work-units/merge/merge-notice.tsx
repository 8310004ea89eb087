/** Says into which unit a unit is merged, and which duplicates it includes; both can be taken apart. */
import { Link } from 'react-router';
import { splitWorkUnit } from '@cloudfit/contract/calls.ts';
import { mergeTexts as t } from '@cloudfit/contract/messages/merge.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';
import { command } from '../../../calls/command.ts';
import { Button } from '../../../components/button.tsx';
import { useMerges } from '../panel/use-work-unit.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

interface UnitToSplit {
  workUnitId: number;
  publicWorkUnitId: number;
}

const takeApart = command(({ workUnitId }: UnitToSplit) => call(splitWorkUnit, { id: workUnitId }), {
  confirm: ({ publicWorkUnitId: id }) => ({ title: t.apartOf(id), text: t.apartQuestion(id), yes: t.apart }),
  done: (_, { publicWorkUnitId }) => t.apartDone(publicWorkUnitId),
  refreshes: [workUnits.name],
});

export function MergeNotice({ unit }: { unit: PanelWorkUnit }) {
  const mayEdit = useMay()('WorkUnits', 'edit');
  return useMerges(unit.workUnitId).map(({ isInto, title, ...other }) => {
    const duplicate = isInto ? unit : other;
    return (
      <p key={other.workUnitId} className="row merge-notice">
        {isInto ? t.isInto : t.includes}
        <Link to={`/${unit.tenantId}/workunitsv2?workUnitId=${other.workUnitId}`}>{`#${other.publicWorkUnitId} ${title}`}</Link>
        {mayEdit && (
          <Button small aria-label={t.apartOf(duplicate.publicWorkUnitId)} onClick={() => void takeApart(duplicate)}>
            {t.apart}
          </Button>
        )}
      </p>
    );
  });
}
