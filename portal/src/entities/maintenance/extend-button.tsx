import { useState } from 'react';
import { maintenanceTexts as t } from '@cloudfit/contract/messages/maintenance.en.ts';
import { Button } from '../../components/button.tsx';
import { nearing, Pop } from '../../components/overlay/floating.tsx';
import { extendMaintenance } from './use-maintenance.ts';
import { UntilChoices } from './until-choices.tsx';

/** Extends a maintenance by a time, or until a time. */
export function ExtendButton({ id, endsAt }: { id: string; endsAt: string }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Button small {...nearing} aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
        {t.extend}
      </Button>
      {anchor && (
        <Pop anchor={anchor} label={t.extendTitle} onClose={() => setAnchor(null)}>
          <div className="maintain extend">
            <strong>{t.extendTitle}</strong>
            <UntilChoices
              from={Date.parse(endsAt)}
              confirm={t.extend}
              onChoose={(until) => {
                setAnchor(null);
                void extendMaintenance({ id, until });
              }}
            />
          </div>
        </Pop>
      )}
    </>
  );
}
